//! The part of HTTP/1.1 that a browser on this machine needs: one request per connection, and events that the
//! server sends. The server listens to this machine only, and under its own name only, so that no other page
//! asks.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Longest line of a head (bytes).
const LONGEST_LINE: u64 = 16_384;
/// Most lines of a head.
const MAX_LINES: usize = 100;
/// Largest body that is accepted (bytes): a long film.
const LARGEST_BODY: usize = 2_000_000_000;

/// Request of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// Path without the part from `?` on.
    pub path: String,
    /// Body of the request.
    pub body: Vec<u8>,
}

/// Reply to a request.
#[derive(Debug)]
pub enum Reply {
    /// A document with its media type.
    Document(&'static str, Vec<u8>),
    /// An event now and whenever the signal is given.
    Events(Arc<Signal>),
    /// Status without a document: not found (404), no such method (405), or not yet ready (503).
    Nothing(u16),
}

/// A counter of events that others can wait for.
#[derive(Debug, Default)]
pub struct Signal {
    count: Mutex<u64>,
    given: Condvar,
}

impl Signal {
    /// Counts an event and wakes all who wait.
    pub fn give(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.given.notify_all();
    }

    /// Waits until the count differs from `seen`, at most a while, and returns it.
    fn wait(&self, seen: u64) -> u64 {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.given.wait_timeout_while(count, Duration::from_secs(5), |count| *count == seen);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Listens on this machine; port 0 takes a free one. Each connection is answered in a thread of its own. Only
/// `posts` are paths at which a POST is taken; the body of any other request is not read. Returns the
/// address, as a browser takes it.
///
/// # Errors
/// When the port is not free.
pub fn listen(
    port: u16,
    posts: &'static [&'static str],
    answer: impl Fn(Request) -> Reply + Send + Sync + 'static,
) -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = listener.local_addr()?.port();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A browser that went away is no error of the server.
            thread::spawn(move || drop(converse(stream, port, posts, &*answer)));
        }
    });
    Ok(format!("http://127.0.0.1:{port}/"))
}

fn converse(
    mut stream: TcpStream,
    port: u16,
    posts: &[&str],
    answer: &dyn Fn(Request) -> Reply,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let Some(request) = read(&mut BufReader::new(&stream), port, posts)? else {
        return head(&mut stream, "400 Bad Request", "text/plain", Some(0));
    };
    let is_taken = request.method == "GET" || is_taken_post(&request.method, &request.path, posts);
    match if is_taken { answer(request) } else { Reply::Nothing(405) } {
        Reply::Document(kind, bytes) => {
            head(&mut stream, "200 OK", kind, Some(bytes.len()))?;
            stream.write_all(&bytes)
        }
        Reply::Nothing(405) => head(&mut stream, "405 Method Not Allowed", "text/plain", Some(0)),
        Reply::Nothing(503) => head(&mut stream, "503 Service Unavailable", "text/plain", Some(0)),
        Reply::Nothing(_) => head(&mut stream, "404 Not Found", "text/plain", Some(0)),
        Reply::Events(signal) => {
            head(&mut stream, "200 OK", "text/event-stream", None)?;
            let mut seen = u64::MAX;
            loop {
                let count = signal.wait(seen);
                // An empty line shows whether a browser still listens.
                let text = if count == seen { ":\n\n".to_owned() } else { format!("data: {count}\n\n") };
                stream.write_all(text.as_bytes())?;
                seen = count;
            }
        }
    }
}

fn head(stream: &mut TcpStream, status: &str, kind: &str, length: Option<usize>) -> io::Result<()> {
    let length = length.map_or_else(String::new, |n| format!("Content-Length: {n}\r\n"));
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Cache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

fn is_taken_post(method: &str, path: &str, posts: &[&str]) -> bool {
    method == "POST" && posts.contains(&path)
}

/// Reads a request; None when it is not from the served page. A body is read of the POSTs that are taken.
fn read(stream: &mut impl BufRead, port: u16, posts: &[&str]) -> io::Result<Option<Request>> {
    let mut line = || -> io::Result<String> {
        let mut text = String::new();
        stream.by_ref().take(LONGEST_LINE).read_line(&mut text)?;
        Ok(text.trim_end().to_owned())
    };
    let first = line()?;
    let (mut length, mut is_ours, mut ended) = (0, false, false);
    for _ in 0..MAX_LINES {
        let field = line()?;
        if field.is_empty() {
            ended = true;
            break;
        }
        let Some((name, value)) = field.split_once(':') else { return Ok(None) };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(usize::MAX),
            "host" => {
                is_ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")]
                    .contains(&value.trim().to_ascii_lowercase());
            }
            _ => {}
        }
    }
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    if !is_ours || !ended || length > LARGEST_BODY {
        return Ok(None);
    }
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let length = if is_taken_post(method, &path, posts) { length } else { 0 };
    let mut body = Vec::new();
    stream.take(length as u64).read_to_end(&mut body)?;
    Ok((body.len() == length).then(|| Request { method: method.to_owned(), path, body }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Request> {
        read(&mut text.as_bytes(), 80, &["/a"]).unwrap()
    }

    #[test]
    fn requests_are_read() {
        let found = parsed("POST /a?b HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 3\r\n\r\nxyzw");
        let body = b"xyz".to_vec();
        assert_eq!(found, Some(Request { method: "POST".into(), path: "/a".into(), body }));
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        assert_eq!(parsed(""), None);
        assert_eq!(parsed("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"), None, "another name");
        assert_eq!(parsed("GET / HTTP/1.1\r\n\r\n"), None, "no name");
        assert_eq!(
            parsed("POST /a HTTP/1.1\r\nHost: localhost:80\r\nContent-Length: 9\r\n\r\nx"),
            None,
            "cut off"
        );
        assert_eq!(parsed("GET / HTTP/1.1\r\nHost: localhost:80\r\nContent-Length: -1\r\n\r\nx"), None);
        assert_eq!(parsed("GET / HTTP/1.1\r\nnonsense\r\n\r\n"), None);
    }

    #[test]
    fn a_browser_gets_documents_and_events() {
        let signal = Arc::new(Signal::default());
        let events = Arc::clone(&signal);
        let address = listen(0, &[], move |request| match request.path.as_str() {
            "/events" => Reply::Events(Arc::clone(&events)),
            "/page" => Reply::Document("text/html", b"hello".to_vec()),
            _ => Reply::Nothing(404),
        })
        .unwrap();
        let host = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(&host).unwrap();
            write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
            stream
        };
        let mut text = String::new();
        ask("/page").read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("\r\n\r\nhello"), "{text}");
        text.clear();
        ask("/other").read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 404"), "{text}");
        // A body that is not taken is not read.
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(stream, "POST /page HTTP/1.1\r\nHost: {host}\r\nContent-Length: 600000000\r\n\r\n").unwrap();
        text.clear();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 405"), "{text}");
        let mut lines = BufReader::new(ask("/events")).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "data: 0"), "no first event");
        signal.give();
        assert!(lines.any(|line| line == "data: 1"), "no second event");
    }
}
