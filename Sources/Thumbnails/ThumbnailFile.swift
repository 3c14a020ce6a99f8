import Glibc

/// An open file with a finished thumbnail. The file is closed when the last reference is released.
///
/// The file stays readable after the cache evicts the thumbnail. Several callers may share the file. So they must read
/// at explicit offsets (`pread`, `sendfile` with an offset) and not move the descriptor's position.
package final class ThumbnailFile: Sendable {
    /// The descriptor of the open file.
    package let descriptor: Int32
    /// The length of the file in bytes; at least 1.
    package let size: Int

    /// Takes ownership of an open descriptor.
    init(owning descriptor: Int32, size: Int) {
        self.descriptor = descriptor
        self.size = size
    }

    deinit {
        close(descriptor)
    }
}
