//! Whole files of bounded size.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why a file could not be read. Every message names the file.
#[derive(Debug)]
pub enum ReadError {
    /// There is no such file.
    Missing(PathBuf),
    /// A folder, not a file.
    Folder(PathBuf),
    /// A device, pipe or socket, which may never end.
    NotAFile(PathBuf),
    /// Larger than the limit.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The largest number of bytes it may have.
        limit: u64,
    },
    /// The operating system refuses to read it.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

impl ReadError {
    fn from_io(path: &Path, source: io::Error) -> ReadError {
        match source.kind() {
            io::ErrorKind::NotFound => ReadError::Missing(path.to_owned()),
            io::ErrorKind::IsADirectory => ReadError::Folder(path.to_owned()),
            _ => ReadError::Unreadable { path: path.to_owned(), source },
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Missing(path) => write!(f, "cannot read '{}': no such file", path.display()),
            ReadError::Folder(path) => write!(f, "cannot read '{}': it is a folder; name a file", path.display()),
            ReadError::NotAFile(path) => {
                write!(f, "cannot read '{}': it is a device or a pipe; name a file", path.display())
            }
            ReadError::TooLarge { path, limit } => {
                write!(f, "cannot read '{}': it has more than {}", path.display(), Bytes(*limit))
            }
            ReadError::Unreadable { path, source } => write!(f, "cannot read '{}': {source}", path.display()),
        }
    }
}

impl Error for ReadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ReadError::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A number of bytes, in the largest unit that divides it.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, unit) = match self.0 {
            size if size > 0 && size % (1 << 30) == 0 => (size >> 30, "GiB"),
            size if size > 0 && size % (1 << 20) == 0 => (size >> 20, "MiB"),
            size if size > 0 && size % (1 << 10) == 0 => (size >> 10, "KiB"),
            size => (size, "bytes"),
        };
        write!(f, "{size} {unit}")
    }
}

/// Opens a file to be read piece by piece. Folders, devices and pipes are refused before they are opened.
///
/// # Errors
/// If it is not a file or can't be opened.
pub fn open_file(path: &Path) -> Result<File, ReadError> {
    let failed = |source| ReadError::from_io(path, source);
    let check = |found: &std::fs::Metadata| match found.file_type() {
        kind if kind.is_dir() => Err(ReadError::Folder(path.to_owned())),
        kind if kind.is_file() => Ok(()),
        _ => Err(ReadError::NotAFile(path.to_owned())),
    };
    check(&std::fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    // The file may have been replaced meanwhile.
    check(&file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// The bytes of a file of at most `limit` bytes. A larger one is refused before it is read.
///
/// # Errors
/// If it is not a file, is too large, or can't be read.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = open_file(path)?;
    let size = file.metadata().map_err(|source| ReadError::from_io(path, source))?.len();
    if size > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), limit });
    }
    read_stream(file, path, limit)
}

/// The bytes of what a user names on the command line, at most `limit`: a file, a pipe or a device, or standard input
/// for `-`.
///
/// # Errors
/// If there are more bytes than `limit`, or they can't be read.
pub fn read_input(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    if path == Path::new("-") {
        return read_stream(io::stdin().lock(), path, limit);
    }
    let failed = |source| ReadError::from_io(path, source);
    let file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if found.is_file() && found.len() > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), limit });
    }
    read_stream(file, path, limit)
}

/// All bytes of an open file, a pipe or standard input, at most `limit`. Errors call it `name`.
///
/// # Errors
/// If there are more bytes than `limit`, or they can't be read.
pub fn read_stream(input: impl Read, name: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|source| ReadError::from_io(name, source))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: name.to_owned(), limit });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path, limit: u64) -> String {
        read_file(path, limit).expect_err("refused").to_string()
    }

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), b"12345");
        assert_eq!(refusal(&path, 4), format!("cannot read '{}': it has more than 4 bytes", path.display()));
        // A sparse file of 8 TiB: it must be refused before it is read.
        File::create(&path).unwrap().set_len(1 << 43).unwrap();
        assert!(refusal(&path, 1 << 30).ends_with("it has more than 1 GiB"));
    }

    #[test]
    fn devices_pipes_folders_and_missing_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (path, reason) in [
            (Path::new("/dev/zero"), "it is a device or a pipe; name a file"),
            (Path::new("/dev/null"), "it is a device or a pipe; name a file"),
            (folder.path(), "it is a folder; name a file"),
            (&folder.path().join("none"), "no such file"),
        ] {
            assert_eq!(refusal(path, 10), format!("cannot read '{}': {reason}", path.display()));
        }
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        assert!(refusal(&fifo, 10).ends_with("name a file"));
    }

    #[test]
    fn an_input_may_be_a_pipe_or_a_device_with_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let writer = std::thread::spawn({
            let fifo = fifo.clone();
            move || std::fs::write(fifo, "text").unwrap()
        });
        assert_eq!(read_input(&fifo, 10).unwrap(), b"text");
        writer.join().unwrap();
        assert_eq!(read_input(Path::new("/dev/null"), 10).unwrap(), b"");
        for (path, reason) in [
            (Path::new("/dev/zero"), "it has more than 1 KiB"),
            (folder.path(), "it is a folder; name a file"),
            (&folder.path().join("none"), "no such file"),
        ] {
            let message = read_input(path, 1024).expect_err("refused").to_string();
            assert_eq!(message, format!("cannot read '{}': {reason}", path.display()));
        }
    }

    #[test]
    fn an_endless_stream_is_refused() {
        let message = read_stream(io::repeat(0), Path::new("-"), 1 << 20).expect_err("endless").to_string();
        assert_eq!(message, "cannot read '-': it has more than 1 MiB");
        assert_eq!(read_stream(&b"abc"[..], Path::new("-"), 3).unwrap(), b"abc");
    }
}
