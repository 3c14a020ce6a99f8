import Glibc

/// An open file descriptor, closed exactly once: when this value ends, or by `close()`.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number that system calls take; valid as long as this value lives.
    package let raw: Int32

    /// Takes over an open descriptor.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Not tried again on EINTR: Linux has freed the number by then, and another thread may have it already.
        _ = Glibc.close(raw)
    }

    /// Closes the descriptor now.
    package consuming func close() {}

    /// Gives the descriptor away without closing it.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}
