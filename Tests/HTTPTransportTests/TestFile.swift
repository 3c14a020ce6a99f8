import Glibc
import HTTP
import TestSupport

/// A file with known content that is already unlinked, so that nothing is left of it.
final class TestFile: HTTPFile {
    let descriptor: Int32
    let content: [UInt8]

    init(size: Int) throws {
        // A prime length: no power of two is a period.
        let block = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ $0 >> 9) }
        var content: [UInt8] = []
        content.reserveCapacity(size + block.count)
        while content.count < size { content.append(contentsOf: block) }
        content.removeLast(content.count - size)
        self.content = content
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

    /// Evicts the content from the kernel's cache, so that it is read from the disk.
    func evict() {
        fdatasync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Truncates the file.
    func truncate(to size: Int) {
        ftruncate(descriptor, off_t(size))
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are the same. (The standard library's comparison takes seconds in a debug build.)
    func isSame(as other: some Sequence<UInt8>) -> Bool {
        let other = Array(other)
        return count == other.count
            && withUnsafeBytes { mine in
                other.withUnsafeBytes { others in
                    guard let one = mine.baseAddress, let two = others.baseAddress else { return true }
                    return memcmp(one, two, mine.count) == 0
                }
            }
    }
}
