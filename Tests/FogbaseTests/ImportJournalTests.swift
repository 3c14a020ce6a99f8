import CloudKitImport
import Foundation
import Testing

@testable import fogbase

/// The state file of an import, and what the command prints.
@Suite struct ImportJournalTests {
    private static let source = SourceDatabase(
        url: "https://source.example", container: "iCloud.org.example.Orchard", environment: "production",
        isPrivate: false)
    private static let identity = ImportIdentity(source: source, target: "here", owner: nil)

    /// Writes some events, and returns the bytes of the file and the states between them.
    private static func sample(_ path: String) throws -> (bytes: [UInt8], states: [ImportState]) {
        let journal = try ImportJournal(path, of: identity, isReadOnly: false)
        var states = [journal.state]
        var batch = ImportBatch(WalkName(zone: "_defaultZone", type: "Tree"))
        batch.done = ["a\n1"]
        batch.carried = ["Tree": 1]
        for event in [.run, .batch(batch), .zone("Z"), .complete] as [ImportEvent] {
            try journal.store(event)
            var state = states[states.count - 1]
            state.apply(event)
            states.append(state)
        }
        return (Array(try Data(contentsOf: URL(fileURLWithPath: path))), states)
    }

    @Test func `a file that was cut off at any byte has the state of its complete lines`() throws {
        let directory = TemporaryDirectory()
        let (bytes, states) = try Self.sample(directory.path + "/state")
        for count in bytes.indices {
            let path = directory.path + "/cut"
            try Data(bytes[..<count]).write(to: URL(fileURLWithPath: path))
            let lines = bytes[..<count].count { $0 == UInt8(ascii: "\n") }
            for isReadOnly in [true, false] {
                let journal = try ImportJournal(path, of: Self.identity, isReadOnly: isReadOnly)
                #expect(journal.state == states[max(0, lines - 1)], "\(count) bytes")
            }
            // The rest of the broken line is gone: the next line is complete.
            do {
                let journal = try ImportJournal(path, of: Self.identity, isReadOnly: false)
                try journal.store(.zone("Later"))
            }
            let later = try ImportJournal(path, of: Self.identity, isReadOnly: true)
            #expect(later.state.zones.last == "Later", "\(count) bytes")
        }
    }

    @Test func `a file of another import, a damaged one and one in use are rejected with what to do`() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/state"
        let (bytes, _) = try Self.sample(path)
        var other = Self.identity
        other.owner = "_ada"
        let mismatch = #expect(throws: Failure.self) { try ImportJournal(path, of: other, isReadOnly: false) }
        #expect(mismatch?.sentences.last == "Name another file with --state.")
        #expect(
            mismatch?.sentences.first?.contains("the public database of iCloud.org.example.Orchard (production)")
                == true)
        let open = try ImportJournal(path, of: Self.identity, isReadOnly: false)
        let busy = #expect(throws: Failure.self) { try ImportJournal(path, of: Self.identity, isReadOnly: false) }
        #expect(busy?.sentences == ["Another process uses the state file \(path). Wait until it ends."])
        #expect(open.state.isComplete)
        let damaged = directory.path + "/damaged"
        try Data(Array("{}\n".utf8) + bytes).write(to: URL(fileURLWithPath: damaged))
        let failure = #expect(throws: Failure.self) { try ImportJournal(damaged, of: Self.identity, isReadOnly: true) }
        #expect(
            failure?.sentences.first == "\(damaged):1: The state file is damaged, or of another version of Fogbase.")
        // A dry run makes no file.
        let none = try ImportJournal(directory.path + "/none", of: Self.identity, isReadOnly: true)
        try none.store(.run)
        #expect(none.state.identity == Self.identity)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/none"))
    }

    @Test func `the progress has what is known`() {
        var progress = ImportProgress()
        #expect(ImportDisplay.line(progress, milliseconds: 0) == "0 records")
        progress.walks = 9
        progress.walksDone = 3
        progress.records = 12_400
        progress.assets = 31
        progress.bytes = 48_000_000
        progress.activity = "reading Tree"
        let line = ImportDisplay.line(progress, milliseconds: 20_000)
        #expect(line.hasPrefix("3 of 9 types and zones, 12,400 records, 620/s, 31 files (4"), "\(line)")
        #expect(line.hasSuffix("), reading Tree"))
    }
}
