import CLinux
import Glibc
import HTTP
import Sockets
import Threads

/// Sending parts of files from the kernel's cache to the socket.
///
/// A transfer has no memory of its own but its head: what the socket does not take stays in the file.
extension ResponseWriter {
    /// What one call sends of a file, a twentieth of a millisecond's worth.
    private static let maxSendBytes = 128 << 10
    /// What the disk is asked for ahead of the transfer. Much more than the largest single read of usual disks is cut off
    /// by the kernel.
    private static let bytesAhead = 1 << 20
    /// Up to here the kernel's own reading ahead does.
    private static let maxUnadvisedBytes = 128 << 10
    /// How often a disk is asked, a millisecond apart, before the loop waits for it after all.
    private static let maxPauses = 100

    /// Sends a body behind the head that is in the output.
    ///
    /// - Returns: `false` if the peer is gone, or if the file was shorter than its body promised: the connection has to
    ///   end then, so that the client sees the answer as cut off.
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
                guard await flush(moreFollows: true), await send(range, of: body.file) else { return false }
            }
        }
        // With nothing left to write, what the client took counts for this answer alone.
        if output.isEmpty { releaseOutput() }
        return true
    }

    private func send(_ range: Range<Int>, of file: any HTTPFile) async -> Bool {
        let descriptor = file.descriptor
        var offset = range.lowerBound
        var advised = offset
        let isAdvised = range.count > Self.maxUnadvisedBytes
        if isAdvised { posix_fadvise(descriptor, off_t(offset), off_t(range.count), POSIX_FADV_SEQUENTIAL) }
        while offset < range.upperBound {
            if isAdvised, offset + Self.bytesAhead > advised, advised < range.upperBound {
                // The disk reads the next part while this one is sent, so that `sendfile` hardly waits for it.
                let count = min(Self.bytesAhead, range.upperBound - advised)
                advise(descriptor, advised, count)
                advised += count
            }
            let count = min(range.upperBound - offset, Self.maxSendBytes)
            await awaitDisk(descriptor, offset, count)
            switch socket.sendFile(descriptor, at: offset, count: count) {
            case .wrote(0):
                // The file ends here.
                return false
            case .wrote(let count):
                didSend(count, ofOutput: 0)
                offset += count
                await server.loop.yieldIfTimeSliceIsOver()
            case .wouldBlock:
                guard await waitToWrite() else { return false }
            case .failed:
                return false
            }
        }
        return true
    }

    /// Lets others have their turns until the disk has brought what is sent next: `sendfile` would hold up the loop.
    private func awaitDisk(_ descriptor: Int32, _ offset: Int, _ count: Int) async {
        var pauses = 0
        // A disk brings a run in its order, as good as always.
        while pauses < Self.maxPauses, fogbase_is_cached(descriptor, Int64(offset + count - 1)) == 0 {
            if pauses == 0 { advise(descriptor, offset, count) }
            pauses += 1
            await socket.pauseWriting(until: .after(.milliseconds(1), from: server.loop.now))
        }
    }

    /// Asks the disk for a part, unless its end is there: the kernel would look at each of its pages.
    private func advise(_ descriptor: Int32, _ offset: Int, _ count: Int) {
        guard fogbase_is_cached(descriptor, Int64(offset + count - 1)) == 0 else { return }
        posix_fadvise(descriptor, off_t(offset), off_t(count), POSIX_FADV_WILLNEED)
    }
}
