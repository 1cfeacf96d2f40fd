//! What a stranger does: requests that are not from a page of the workbench, and texts that act.

use crate::bench::{Bench, Setting};
use crate::browser::{Failure, plain_request};

/// Requests that get 403 and nothing else.
pub fn wrong_requests(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "guard", &[("t.csv", "a,b\n1,2\n2,1\n")])?;
    let port = bench.port()?;
    let path = format!("/{}/", bench.address.split('/').nth(3).unwrap_or_default());
    let host = format!("127.0.0.1:{port}");
    let wrong = path.replace(['0', '1', '2'], "f") + "x";
    for (method, path, headers) in [
        ("GET", "/", format!("Host: {host}\r\n")),
        ("GET", wrong.as_str(), format!("Host: {host}\r\n")),
        ("GET", path.as_str(), "Host: evil.example\r\n".to_owned()),
        ("GET", path.as_str(), format!("Host: evil.example:{port}\r\n")),
        ("GET", path.as_str(), format!("Host: {host}\r\nSec-Fetch-Site: cross-site\r\n")),
        ("POST", path.as_str(), format!("Host: {host}\r\nContent-Length: 0\r\n")),
        ("POST", path.as_str(), format!("Host: {host}\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n")),
        ("POST", path.as_str(), format!("Host: {host}\r\nOrigin: null\r\nContent-Length: 0\r\n")),
    ] {
        let (status, text) =
            plain_request(port, &format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n"))?;
        if status != 403 || !text.ends_with("Forbidden") {
            return Err(format!("{method} with {headers:?}: {text}").into());
        }
    }
    // A page of another origin in the same browser: a form, a frame, a request of a script.
    let tab = bench.tab(setting, "")?;
    tab.go("data:text/html,<form method=post></form>")?;
    let opened = tab.evaluate(&format!(
        "fetch('{0}open', {{method: 'POST', body: 'data=t.csv', mode: 'no-cors'}}).then(() => true, () => false)",
        bench.address
    ))?;
    drop(opened);
    tab.evaluate(&format!(
        "(() => {{ const f = document.querySelector('form'); f.action = '{}open'; window.before = true; f.submit(); return true; }})()",
        bench.address
    ))?;
    tab.reads("Forbidden")?;
    bench.go(&tab, "")?;
    // Nothing was opened.
    tab.lacks("Go on to the columns")
}

/// Names and labels that act where they are not escaped.
pub fn hostile_names(setting: &Setting) -> Result<(), Failure> {
    let long = "x".repeat(10_000);
    let table = format!(
        "\"<img src=x onerror=window.hit=1>\",\"\"\"><script>window.hit=1</script>\",\"a\u{202e}b\",{long}\n\
         \"<svg onload=window.hit=1>\",1,\"' onfocus='window.hit=1\",0\n\
         \"javascript:window.hit=1\",0,\"\u{202e}txt\",1\n\
         \"{{7*7}}\",1,\"اسم\",1\n"
    );
    let bench = Bench::with(setting, "hostile", &[("<b onclick=x>&'.csv", &table)])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "<b onclick=x>&'.csv")?;
    tab.tick("input[name=up_to][value='2']")?;
    tab.press("Keep")?;
    for page in ["", "columns", "tables", "noise", "run", "releases"] {
        bench.go(&tab, page)?;
        tab.evaluate("document.querySelectorAll('details').forEach(e => e.open = true); true")?;
        let acted = tab.evaluate(
            "!!window.hit || document.querySelectorAll('main img, main script, main svg [onload], [onclick], [onfocus]').length > 0",
        )?;
        let wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")?;
        if acted != serde_json::json!(false) || wide.as_f64().unwrap_or(1.0) > 0.0 {
            return Err(format!("{page}: acted {acted}, wider by {wide}").into());
        }
        if page == "columns" {
            tab.picture(&setting.out.join("hostile.png"), false)?;
        }
    }
    bench.is_calm(&tab)
}
