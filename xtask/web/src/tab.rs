//! A tab: where it is, what it shows, and what a person does there.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};

use crate::browser::{Browser, Failure, PATIENCE};

/// Adds up how far content moves by itself.
const SHIFT: &str = "window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries()) \
                     if (!e.hadRecentInput) window.shift += e.value; }).observe({type: 'layout-shift', buffered: true});";

/// A tab of a browser, with what went wrong in it.
pub struct Tab {
    browser: Rc<RefCell<Browser>>,
    session: String,
}

impl Tab {
    /// Opens a tab. Everything that it loads and every error of a script is noted.
    pub fn open(browser: &Rc<RefCell<Browser>>) -> Result<Self, Failure> {
        let target = browser.borrow_mut().call(None, "Target.createTarget", json!({"url": "about:blank"}))?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.borrow_mut().call(None, "Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().ok_or("no session")?.to_owned();
        let tab = Self { browser: Rc::clone(browser), session };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.call(&format!("{domain}.enable"), json!({}))?;
        }
        tab.show()?;
        tab.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": SHIFT}))?;
        tab.size(1100, 800, false)?;
        Ok(tab)
    }

    /// Brings the tab to the front: a page that nobody sees is not painted, and moves nothing.
    pub fn show(&self) -> Result<(), Failure> {
        self.call("Page.bringToFront", json!({})).map(drop)
    }

    fn call(&self, method: &str, parameters: Value) -> Result<Value, Failure> {
        self.browser.borrow_mut().call(Some(&self.session), method, parameters)
    }

    /// The size of the window, and whether the reader prefers dark pages.
    pub fn size(&self, width: u32, height: u32, is_dark: bool) -> Result<(), Failure> {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", size)?;
        let value = if is_dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": value}]}),
        )?;
        Ok(())
    }

    /// Goes to an address, and waits until it is loaded.
    pub fn go(&self, address: &str) -> Result<(), Failure> {
        self.evaluate("window.before = true")?;
        self.call("Page.navigate", json!({"url": address}))?;
        self.until("!window.before && document.readyState === 'complete'")
    }

    /// The value of an expression in the page.
    pub fn evaluate(&self, expression: &str) -> Result<Value, Failure> {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let found = self.call("Runtime.evaluate", parameters)?;
        match found.get("exceptionDetails") {
            Some(details) => Err(format!("{expression}: {details}").into()),
            None => Ok(found["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is true. A page that is just being left has no answer yet.
    pub fn until(&self, expression: &str) -> Result<(), Failure> {
        let start = Instant::now();
        loop {
            if self.evaluate(expression).is_ok_and(|found| found == json!(true)) {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                let text = self.text().unwrap_or_default();
                return Err(format!("waited too long for {expression} on a page with:\n{text}").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The text of the page.
    pub fn text(&self) -> Result<String, Failure> {
        Ok(self.evaluate("document.body.innerText")?.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until the page has a text.
    pub fn reads(&self, text: &str) -> Result<(), Failure> {
        self.until(&format!("document.body.innerText.includes({})", json!(text)))
    }

    /// Fails unless the page lacks a text.
    pub fn lacks(&self, text: &str) -> Result<(), Failure> {
        match self.text()?.contains(text) {
            true => Err(format!("the page has {text:?}").into()),
            false => Ok(()),
        }
    }

    /// Presses the button or link with this text, and waits for the page that follows.
    pub fn press(&self, text: &str) -> Result<(), Failure> {
        self.press_only(text)?;
        self.until("!window.before && document.readyState === 'complete'")
    }

    /// Presses the button or link with this text.
    pub fn press_only(&self, text: &str) -> Result<(), Failure> {
        let find = format!(
            "((all) => all.find(e => e.innerText.trim() === {0}) || all.find(e => e.innerText.trim().startsWith({0})))\
             ([...document.querySelectorAll('button'), ...document.querySelectorAll('a')].filter(e => !e.disabled))",
            json!(text)
        );
        self.until(&format!("!!{find}"))?;
        self.evaluate(&format!("window.before = true; {find}.click(); true"))?;
        Ok(())
    }

    /// Writes into a field, or chooses of a list, as a person does.
    pub fn fill(&self, selector: &str, value: &str) -> Result<(), Failure> {
        let set = format!(
            "(() => {{ const e = document.querySelector({}); e.value = {}; \
             e.dispatchEvent(new Event('input', {{bubbles: true}})); \
             e.dispatchEvent(new Event('change', {{bubbles: true}})); return true; }})()",
            json!(selector),
            json!(value)
        );
        self.evaluate(&set).map(|_| ())
    }

    /// Ticks a box.
    pub fn tick(&self, selector: &str) -> Result<(), Failure> {
        self.evaluate(&format!("document.querySelector({}).click(); true", json!(selector))).map(|_| ())
    }

    /// Presses a key, as the keyboard does.
    pub fn key(&self, key: &str, modifiers: u32) -> Result<(), Failure> {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "Tab" => (9, "\t"),
            " " => (32, " "),
            "ArrowRight" => (39, ""),
            "ArrowLeft" => (37, ""),
            other => (i64::from(other.as_bytes()[0].to_ascii_uppercase()), if modifiers == 0 { other } else { "" }),
        };
        let mut down =
            json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
        if !text.is_empty() && key != "Tab" {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down)?;
        let up =
            json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
        self.call("Input.dispatchKeyEvent", up)?;
        Ok(())
    }

    /// A picture of the whole page, or of a window of it.
    pub fn picture(&self, file: &Path, is_whole: bool) -> Result<(), Failure> {
        let taken = self.call("Page.captureScreenshot", json!({"format": "png", "captureBeyondViewport": is_whole}))?;
        let data = taken["data"].as_str().ok_or("no picture")?;
        fs::write(file, base64::engine::general_purpose::STANDARD.decode(data)?)?;
        Ok(())
    }

    /// Errors of scripts, refusals of the content security policy, and addresses elsewhere that
    /// something was asked of since the last call.
    pub fn faults(&self, own: &str) -> Vec<String> {
        let mut browser = self.browser.borrow_mut();
        let mut faults: Vec<String> = Vec::new();
        let thrown = browser.events(&self.session, "Runtime.exceptionThrown");
        faults.extend(thrown.iter().map(|event| event["params"]["exceptionDetails"].to_string()));
        for event in browser.events(&self.session, "Log.entryAdded") {
            let entry = &event["params"]["entry"];
            // A refusal of the server is looked at where it is made.
            if entry["level"] == json!("error") && entry["source"] != json!("network") {
                faults.push(entry["text"].to_string());
            }
        }
        for event in browser.events(&self.session, "Network.requestWillBeSent") {
            let address = event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned();
            if !address.starts_with(own) && !address.starts_with("about:") {
                faults.push(format!("asked {address}"));
            }
        }
        faults
    }
}
