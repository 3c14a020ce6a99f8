import Glibc
import HTTP
import TestSupport

/// A file with known content that has no name any more, so that nothing is left of it.
final class TestFile: HTTPFile {
    let descriptor: Int32
    let content: [UInt8]

    init(size: Int) throws {
        content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ $0 >> 16) }
        var template = Array("/tmp/fogbase-file-XXXXXX\0".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw RawClient.Failure(description: "mkstemp: errno \(errno)") }
        unlink(template)
        var offset = 0
        while offset < size {
            let count = content.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + offset }, size - offset, off_t(offset))
            }
            guard count > 0 else { throw RawClient.Failure(description: "pwrite: errno \(errno)") }
            offset += count
        }
    }

    deinit {
        close(descriptor)
    }

    /// Makes the file shorter than it was.
    func truncate(to size: Int) {
        ftruncate(descriptor, off_t(size))
    }
}
