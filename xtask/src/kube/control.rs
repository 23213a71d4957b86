//! A loopback port where a real server can be asked to forget its history: another process cannot reach
//! its standard input.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Weak};

use pintle_real::RealServer;

use super::Problem;

/// Listens as long as the server is there. Each caller sends `compact` and receives the result.
pub(super) fn listen(server: &Arc<RealServer>) -> Result<SocketAddr, Problem> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| format!("no port is free: {error}"))?;
    let address = listener.local_addr().map_err(|error| format!("the port has no address: {error}"))?;
    let server = Arc::downgrade(server);
    std::thread::spawn(move || {
        for caller in listener.incoming().flatten() {
            // A caller that hangs up in the middle wants nothing any more.
            answer(caller, &server).unwrap_or_default();
        }
    });
    Ok(address)
}

fn answer(mut caller: TcpStream, server: &Weak<RealServer>) -> std::io::Result<()> {
    let mut line = String::new();
    BufReader::new(caller.try_clone()?).read_line(&mut line)?;
    let answer = match (line.trim(), server.upgrade()) {
        ("compact", Some(server)) => server.compact().unwrap_or_else(|problem| problem),
        ("compact", None) => "the server has ended".to_owned(),
        (other, _) => format!("`{other}` is not a command; there is `compact`"),
    };
    writeln!(caller, "{answer}")
}
