import Glibc

/// An open file descriptor that is closed exactly once: by `close()` or when this value is destroyed.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number for system calls; valid as long as this value lives.
    package let raw: Int32

    /// Takes ownership of an open descriptor.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // No retry on EINTR: Linux has already freed the number, and another thread may have reused it.
        _ = Glibc.close(raw)
    }

    /// Closes the descriptor now.
    package consuming func close() {}

    /// Returns the descriptor without closing it. The caller must close the descriptor.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}
