import Glibc

/// A finished thumbnail, open for reading and closed with its last reference.
///
/// It can be read to its end even if the cache has thrown the file away meanwhile. Callers may share it: read at given
/// places (`pread`, `sendfile` with an offset), and do not move the descriptor's position.
package final class ThumbnailFile: Sendable {
    /// The open file.
    package let descriptor: Int32
    /// The length in bytes; at least 1.
    package let size: Int

    /// Takes over an open descriptor.
    init(owning descriptor: Int32, size: Int) {
        self.descriptor = descriptor
        self.size = size
    }

    deinit {
        close(descriptor)
    }
}
