import CloudKitImport
import Glibc
import RecordStorage
import RecordWire

/// The state file of an import: one event in each line.
///
/// Lines are appended and synced, so that the file is always right up to its last complete line. A line that a crash
/// has cut off is removed at the next start.
final class ImportJournal {
    /// The state of the events in the file.
    private(set) var state = ImportState()
    private let path: String
    /// -1 if the file is not written.
    private var descriptor: Int32 = -1

    /// Reads a state file, and opens it for writing.
    ///
    /// - Parameters:
    ///   - identity: The import to which the file must belong.
    ///   - isReadOnly: Whether the file is not created, locked and written.
    /// - Throws: `Failure` if the file cannot be used, or if another process uses it.
    init(_ path: String, of identity: ImportIdentity, isReadOnly: Bool) throws(Failure) {
        self.path = path
        let flags = isReadOnly ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND
        let opened = open(path, flags | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            if isReadOnly, errno == ENOENT {
                state.apply(.begin(identity))
                return
            }
            throw Failure("The state file \(path) cannot be opened: \(SystemError.text). --state names another one.")
        }
        guard isReadOnly || flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            throw Failure("Another process uses the state file \(path). Wait until it ends.")
        }
        do throws(Failure) {
            try use(opened, identity, isReadOnly: isReadOnly)
        } catch {
            Self.release(opened)
            throw error
        }
        if isReadOnly {
            close(opened)
        } else {
            descriptor = opened
        }
    }

    private func use(_ opened: Int32, _ identity: ImportIdentity, isReadOnly: Bool) throws(Failure) {
        let whole = try read(opened)
        guard let known = state.identity else {
            state.apply(.begin(identity))
            guard isReadOnly || ftruncate(opened, 0) == 0 && append(.begin(identity), to: opened) else {
                throw Failure("The state file \(path) cannot be written: \(SystemError.text).")
            }
            return
        }
        guard known == identity else {
            throw Failure(
                [
                    "\(path) is the state of another import: from \(Self.words(known)).",
                    "Name another file with --state.",
                ], code: .failure)
        }
        guard isReadOnly || ftruncate(opened, off_t(whole)) == 0 else {
            throw Failure("The state file \(path) cannot be written: \(SystemError.text).")
        }
    }

    /// Unlocks and closes a file. Closing alone does not unlock it while a process that was just forked has a copy of the
    /// descriptor.
    private static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    deinit {
        if descriptor >= 0 { Self.release(descriptor) }
    }

    private static func words(_ identity: ImportIdentity) -> String {
        let source = identity.source
        let database = source.isPrivate ? "private" : "public"
        return
            "the \(database) database of \(source.container) (\(source.environment)) at \(source.url) to \(identity.target)"
            + (identity.owner.map { ", private database of \($0)" } ?? "")
    }

    /// Adds the events of the file. Returns the length of its complete lines.
    private func read(_ descriptor: Int32) throws(Failure) -> Int {
        var (rest, whole, number): ([UInt8], Int, Int) = ([], 0, 0)
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("The state file \(path) cannot be read: \(SystemError.text).") }
            if count == 0 { return whole }
            rest += piece[..<count]
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                let line = Array(rest[start..<end])
                guard let value = try? JSONValue.parse(line), let event = ImportEvent(value) else {
                    throw Failure(
                        [
                            "\(path):\(number): The state file is damaged, or of another version of Fogbase.",
                            "Delete it to begin again. Records that are here already are written again, not duplicated.",
                        ], code: .failure)
                }
                state.apply(event)
                start = end + 1
                whole += line.count + 1
            }
            rest.removeFirst(start)
        }
    }

    /// Appends an event durably, unless the file is only read.
    func store(_ event: ImportEvent) throws(ImportError) {
        guard descriptor < 0 || append(event, to: descriptor) else {
            throw .failed("The state file \(path) cannot be written: \(SystemError.text).")
        }
    }

    /// Appends an event durably. Returns whether that succeeded.
    private func append(_ event: ImportEvent, to descriptor: Int32) -> Bool {
        let line = event.json.bytes + [UInt8(ascii: "\n")]
        var written = 0
        while written < line.count {
            let count = line[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return fdatasync(descriptor) == 0
    }
}
