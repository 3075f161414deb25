//! Chunks on their way from the thread of a run to its future.

use std::io;
use std::os::fd::BorrowedFd;

use crate::runner::{Chunk, Stream};
use crate::sys::fd;

/// What a pipe holds by default, in bytes (pipe(7)): the largest chunk, and a batch that is passed on before
/// more is read.
pub(super) const PIPE_BYTES: usize = 64 * 1024;

/// Chunks that wait to be passed on, neighbours of one stream joined.
#[derive(Debug, Default)]
pub(super) struct Batch {
    chunks: Vec<Chunk>,
    bytes: usize,
    is_open: bool,
}

impl Batch {
    /// A read has room for at least so much.
    const LEAST_ROOM: usize = 16 * 1024;

    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= PIPE_BYTES && !self.is_open
    }

    /// Takes in whatever comes, for the last of the output, which is bounded by what pipes hold.
    pub(super) fn open(&mut self) {
        self.is_open = true;
    }

    /// Takes the chunks out.
    pub(super) fn take(&mut self) -> Vec<Chunk> {
        self.bytes = 0;
        std::mem::take(&mut self.chunks)
    }

    /// Puts chunks back that found no room.
    pub(super) fn put_back(&mut self, chunks: Vec<Chunk>) {
        self.bytes = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        self.chunks = chunks;
    }

    /// Appends bytes of a stream.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.room(stream, bytes.len()).extend_from_slice(bytes);
    }

    /// Appends what one read gives, and says how much that was and how much could have been. Zero bytes are
    /// the end.
    pub(super) fn read(&mut self, stream: Stream, fd: BorrowedFd) -> io::Result<(usize, usize)> {
        let chunk = self.room(stream, Self::LEAST_ROOM);
        let room = PIPE_BYTES - chunk.len();
        let result = fd::read_into(fd, chunk, room);
        if chunk.is_empty() {
            self.chunks.pop();
        }
        let count = result?;
        self.bytes += count;
        Ok((count, room))
    }

    /// The chunk that the next bytes of a stream belong to.
    fn room(&mut self, stream: Stream, more: usize) -> &mut Vec<u8> {
        let joins = self
            .chunks
            .last()
            .is_some_and(|last| last.stream == stream && last.bytes.len() + more <= PIPE_BYTES);
        let chunk = match joins {
            true => self.chunks.pop(),
            false => None,
        };
        let chunk = chunk.unwrap_or(Chunk {
            stream,
            bytes: Vec::new(),
        });
        &mut self.chunks.push_mut(chunk).bytes
    }
}
