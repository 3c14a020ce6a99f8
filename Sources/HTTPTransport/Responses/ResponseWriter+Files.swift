import CLinux
import Glibc
import HTTP
import Sockets
import Threads

/// Sends ranges of files from the page cache to the socket with `sendfile`.
///
/// A transfer uses memory only for the response head. Bytes that the socket does not accept stay in the file.
extension ResponseWriter {
    /// The maximum number of bytes to send before other connections run: a tenth of a millisecond of CPU time.
    private static let maxSendBytes = HTTPFileBody.pieceBytes
    /// How many bytes ahead of the transfer the disk is asked to read. The kernel truncates requests that are much
    /// larger than the disk's maximum read size.
    private static let bytesAhead = 1 << 20
    /// The maximum size in bytes of a range for which the kernel's own read-ahead is sufficient.
    private static let maxUnadvisedBytes = 128 << 10
    /// How often to check for data from the disk, at intervals of 1 ms, before the loop blocks in `sendfile`.
    private static let maxPauses = 100

    /// Sends a file body after the head in the output.
    ///
    /// - Returns: `false` if the peer disconnected or the file was shorter than the body. The connection must then end,
    ///   so that the client detects the truncation.
    func send(_ body: HTTPFileBody) async -> Bool {
        for part in body.parts {
            switch part {
            case .bytes(let bytes):
                prepareOutput()
                if bytes.count > Self.maxCopiedBytes {
                    guard await flush(with: bytes) else { return false }
                } else {
                    output += bytes
                }
            case .range(let range):
                guard await flush(moreFollows: true), await send(range, of: body) else { return false }
            }
        }
        // If all output is written, reset the timeout for the next response.
        if output.isEmpty { releaseOutput() }
        return true
    }

    private func send(_ range: Range<Int>, of body: HTTPFileBody) async -> Bool {
        let descriptor = body.file.descriptor
        var offset = range.lowerBound
        var advised = offset
        let isAdvised = range.count > Self.maxUnadvisedBytes
        if isAdvised { posix_fadvise(descriptor, off_t(offset), off_t(range.count), POSIX_FADV_SEQUENTIAL) }
        while offset < range.upperBound {
            if isAdvised, offset + Self.bytesAhead > advised, advised < range.upperBound {
                // The disk reads the next bytes while these bytes are sent, so that `sendfile` rarely blocks.
                let count = min(Self.bytesAhead, range.upperBound - advised)
                advise(descriptor, advised, count)
                advised += count
            }
            if let check = body.check {
                do { try await check() } catch { return false }
            }
            let count = min(range.upperBound - offset, Self.maxSendBytes)
            await awaitDisk(descriptor, offset, count)
            switch socket.sendFile(descriptor, at: offset, count: count) {
            case .wrote(0):
                // The file ends before the range does.
                return false
            case .wrote(let count):
                didSend(count, ofOutput: 0)
                offset += count
                // Downloads alternate even within a time slice. If the client reads the last bytes in the meantime, it
                // takes the next bytes with a sixth less CPU time.
                await Task.yield()
            case .wouldBlock:
                guard await waitToWrite() else { return false }
            case .failed:
                return false
            }
        }
        return true
    }

    /// Lets other tasks run until the disk has read the next bytes. Otherwise, `sendfile` would block the loop.
    private func awaitDisk(_ descriptor: Int32, _ offset: Int, _ count: Int) async {
        var pauses = 0
        // A disk nearly always reads a range in order, so checking the last byte of the range is enough.
        while pauses < Self.maxPauses, fogbase_is_cached(descriptor, Int64(offset + count - 1)) == 0 {
            if pauses == 0 { advise(descriptor, offset, count) }
            pauses += 1
            await socket.pauseWriting(until: .after(.milliseconds(1), from: server.loop.now))
        }
    }

    /// Asks the disk to read a range, unless the last byte of the range is cached. For a cached range, the kernel would
    /// check each page.
    private func advise(_ descriptor: Int32, _ offset: Int, _ count: Int) {
        guard fogbase_is_cached(descriptor, Int64(offset + count - 1)) == 0 else { return }
        posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_WILLNEED)
    }
}
