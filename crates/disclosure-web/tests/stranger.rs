//! A client that means harm, over real connections: whatever it sends, or does not send, others are
//! answered, and no answer is a fault of the server.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_web::serve;

use crate::support::served::Served;
use crate::support::{TOKEN, shell};

#[test]
fn a_listener_that_other_machines_can_reach_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    let refused = serve(listener, place.path(), None, shell(), StopFlag::never(), |_| Ok(()));
    assert!(refused.unwrap_err().has_code("E0701"));
}

#[test]
fn many_slow_connections_keep_nobody_out() {
    let served = Served::new();
    let half_heads: Vec<TcpStream> = (0..120)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: 127").unwrap();
            stream
        })
        .collect();
    let half_bodies: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut stream = served.connect();
            let head = served.head("POST", "noise", "Content-Length: 1000\r\n");
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(b"rho=").unwrap();
            stream
        })
        .collect();
    // Answers that nobody takes.
    let deaf: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = served.connect();
            stream.write_all(served.head("GET", "style.css", "").repeat(50).as_bytes()).unwrap();
            stream
        })
        .collect();
    for _ in 0..5 {
        served.is_well();
    }
    drop((half_heads, half_bodies, deaf));
    served.is_well();
}

#[test]
fn bodies_of_any_size_and_form_end_in_an_answer() {
    let served = Served::new();
    let post = |more: &str, body: &[u8]| served.status(&[served.head("POST", "noise", more).as_bytes(), body].concat());
    // A size that is declared is refused before it is sent.
    assert_eq!(post("Content-Length: 99999999999\r\n", b"rho=1"), 413);
    let chunk = [b"40000\r\n".as_slice(), &[b'a'; 0x40000], b"\r\n"].concat();
    assert_eq!(post("Transfer-Encoding: chunked\r\n", &chunk.repeat(6)), 413);
    let deep = "[".repeat(200_000);
    let json = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", deep.len());
    assert_eq!(post(&json, deep.as_bytes()), 422, "no form of the workbench");
    for body in ["rho=\u{202e}5", &format!("{}=1", "x".repeat(10_000)), "rho=%00%00", "&".repeat(9000).as_str()] {
        let status = post(&format!("Content-Length: {}\r\n", body.len()), body.as_bytes());
        assert!((400..500).contains(&status), "{status}");
    }
    assert_eq!(post("Content-Length: 4\r\nContent-Length: 5\r\n", b"rho=1"), 400);
    assert_eq!(post("Content-Length: x\r\n", b"rho=1"), 400);
    served.is_well();
}

#[test]
fn heads_of_any_form_end_in_a_refusal() {
    let served = Served::new();
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "BREW"] {
        let status = served.status(served.head(method, "", "").as_bytes());
        assert!([403, 405].contains(&status), "{method}: {status}");
    }
    assert!([400, 403, 405].contains(&served.status(served.head("CONNECT", "", "").as_bytes())));
    let long = "x".repeat(400_000);
    for bytes in [
        served.head("GET", &long, ""),
        served.head("GET", "", &format!("X-Long: {long}\r\n")),
        served.head("GET", "", &"X-Many: 1\r\n".repeat(500)),
        "\r\n\r\nhello\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        format!("GET /{TOKEN}/ HTTP/1.1\r\n\r\n"),
        format!("GET http://evil.example/{TOKEN}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        served.head("GET", "%E2%80%AE/../../etc/passwd", ""),
        served.head("GET", "?a=b", ""),
    ] {
        let status = served.status(bytes.as_bytes());
        assert!(
            status == 0 || (400..500).contains(&status),
            "{status}: {}, {} bytes",
            &bytes[..bytes.len().min(60)],
            bytes.len()
        );
    }
    // A second browser, which does not have the token.
    let host = format!("127.0.0.1:{}", served.port);
    assert_eq!(served.status(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()), 403);
    served.is_well();
}

#[test]
fn a_pipeline_of_requests_is_answered_in_its_order() {
    let served = Served::new();
    let mut stream = served.connect();
    let last = served.head("GET", "icon.svg", "Connection: close\r\n");
    stream.write_all((served.head("GET", "status", "").repeat(40) + &last).as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 41);
    assert!(text.ends_with("</svg>\n") || text.trim_end().ends_with("</svg>"));
}
