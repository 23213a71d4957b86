//! A wire between client and server that can be cut without either side noticing: bytes stop, the connection stays.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The switch of a wire.
#[derive(Clone, Default)]
pub(crate) struct Relay {
    is_silent: Arc<AtomicBool>,
}

impl Relay {
    /// A wire to `server`, and where it begins.
    pub(crate) async fn start(server: SocketAddr) -> (Self, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let relay = Self::default();
        let wire = relay.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(server).await.unwrap();
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                tokio::spawn(wire.clone().pass(from_client, to_server));
                tokio::spawn(wire.clone().pass(from_server, to_client));
            }
        });
        (relay, address)
    }

    /// From now on nothing passes, and neither side notices.
    pub(crate) fn silence(&self) {
        self.is_silent.store(true, Ordering::SeqCst);
    }

    async fn pass(self, mut from: tokio::net::tcp::OwnedReadHalf, mut to: tokio::net::tcp::OwnedWriteHalf) {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            // What is swallowed was received as far as the sender's kernel knows.
            if self.is_silent.load(Ordering::SeqCst) {
                continue;
            }
            if to.write_all(&buffer[..count]).await.is_err() {
                return;
            }
        }
        if self.is_silent.load(Ordering::SeqCst) {
            // Closing would be a word.
            std::future::pending::<()>().await;
        }
    }
}
