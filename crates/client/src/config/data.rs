//! Data that a kubeconfig holds inline (base64) or points to (a file), as bytes.
//!
//! Inline data wins over the file, as in kubectl. Nothing here keeps or prints what it loaded.

use std::io::Read;
use std::path::Path;

use base64::Engine;
use pem::PemError;
use secrecy::ExposeSecret;

use super::error::LoadDataError;
use super::file::Cluster;
use super::user::AuthInfo;

/// The largest file of certificates, key or token that is read: bundles of every public CA are a quarter of this.
const DATA_BYTES_MAX: u64 = 1024 * 1024;

impl Cluster {
    /// The PEM certificates to trust, if the file names some.
    pub(crate) fn load_certificate_authority(&self) -> Result<Option<Vec<u8>>, LoadDataError> {
        load_optional(self.certificate_authority_data.as_deref(), self.certificate_authority.as_deref())
    }
}

impl AuthInfo {
    /// The PEM certificate chain of the client, if it has one.
    pub(crate) fn load_client_certificate(&self) -> Result<Option<Vec<u8>>, LoadDataError> {
        load_optional(self.client_certificate_data.as_deref(), self.client_certificate.as_deref())
    }

    /// The PEM key of the client, if it has one.
    pub(crate) fn load_client_key(&self) -> Result<Option<Vec<u8>>, LoadDataError> {
        let inline = self.client_key_data.as_ref().map(ExposeSecret::expose_secret);
        load_optional(inline, self.client_key.as_deref())
    }
}

/// The DER certificates of a PEM bundle; at least one.
pub(crate) fn certificates(bundle: &[u8]) -> Result<Vec<Vec<u8>>, PemError> {
    let sections = pem::parse_many(bundle).map_err(|error| match error {
        // It quotes a line, and a key may stand where a certificate belongs.
        PemError::InvalidHeader(_) => PemError::MalformedFraming,
        error => error,
    })?;
    let certificates = sections.into_iter().filter(|section| section.tag() == "CERTIFICATE");
    let certificates: Vec<_> = certificates.map(pem::Pem::into_contents).collect();
    if certificates.is_empty() { Err(PemError::MissingBeginTag) } else { Ok(certificates) }
}

fn load_optional(inline: Option<&str>, file: Option<&str>) -> Result<Option<Vec<u8>>, LoadDataError> {
    // Generated files write `""` for what they do not use.
    match (inline.filter(|data| !data.is_empty()), file.filter(|path| !path.is_empty())) {
        (Some(data), _) => decode(data).map(Some),
        (None, Some(path)) => read(path.as_ref()).map(Some),
        (None, None) => Ok(None),
    }
}

fn decode(data: &str) -> Result<Vec<u8>, LoadDataError> {
    // YAML block scalars leave line breaks in the data.
    let data: String = data.split_ascii_whitespace().collect();
    base64::engine::general_purpose::STANDARD.decode(data).map_err(LoadDataError::DecodeBase64)
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, LoadDataError> {
    read_file(path).map_err(|error| LoadDataError::ReadFile(error, path.to_owned()))
}

/// Reads a file of certificates, a key or a token.
pub(crate) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    read_at_most(path, DATA_BYTES_MAX)
}

/// Reads a file, unless it is larger than `limit`: half a bundle would be half of what is trusted.
pub(super) fn read_at_most(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut data = Vec::new();
    std::fs::File::open(path)?.take(limit + 1).read_to_end(&mut data)?;
    if data.len() as u64 > limit {
        let why = format!("it is larger than {limit} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, why));
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let path = std::env::temp_dir().join(format!("pintle-data-{}", std::process::id()));
        let write = |bytes: u64| std::fs::write(&path, vec![b'x'; bytes as usize]).unwrap();
        write(DATA_BYTES_MAX);
        assert_eq!(read(&path).unwrap().len() as u64, DATA_BYTES_MAX);
        write(DATA_BYTES_MAX + 1);
        let error = read(&path).unwrap_err();
        assert!(matches!(&error, LoadDataError::ReadFile(why, _) if why.to_string().contains("larger than 1048576")));
        std::fs::remove_file(&path).unwrap();
    }
}
