import Encodings
import RecordModel
import RecordWire
import TestSupport
import Testing

/// The stored form, sound and damaged.
struct StoredFieldsTests {
    static func sample() throws -> StoredFields {
        let long = Base64.encode([UInt8](repeating: 1, count: 4_000))
        return try Sample.store(
            "{\"bytes\":\"\(long)\",\"string\":\"s\\u00e9a\",\"int64\":3,\"reference\":{\"recordName\":\"a\"},\"stringlist\":[\"x\"]}"
        ).stored
    }

    @Test func `the text is that of the response, ordered by field number`() throws {
        let stored = try Sample.store("{\"int64\":3,\"string\":\"sea\"}").stored
        #expect(
            text(stored.text)
                == "\"string\":{\"value\":\"sea\",\"type\":\"STRING\"},\"int64\":{\"value\":3,\"type\":\"INT64\"}")
        #expect(stored.layout == [1, 11, 2, 1, 1, 40, 18, 3, 2, 2, 34, 17, 8])
        #expect(try Sample.store("{}").stored == .empty)
    }

    @Test func `an entry is found by its number, with name, value and size`() throws {
        let stored = try Self.sample()
        try stored.withView { view throws(RecordError) in
            #expect(view.count == 5)
            #expect(view.hasExternals)
            #expect(view.hasReferences)
            #expect(view.entry(3) == nil)
            #expect(view.entry(99) == nil)
            guard let entry = view.entry(1), let bytes = view.entry(5) else {
                Issue.record("an entry is missing")
                return
            }
            #expect(view.name(of: entry) == "string")
            #expect(text(view.valueText(of: entry)) == "\"séa\"")
            #expect(entry.decodedSize == 4)
            #expect(bytes.isExternal)
            #expect(bytes.externalLength == 5_338)
            #expect(bytes.decodedSize == 4_000)
            var seen: [Int] = []
            view.forEachEntry { seen.append($0.fieldID) }
            #expect(seen == [1, 2, 5, 6, 17])
            try view.check()
        }
        let value = try stored.text.withUnsafeBytes { text in
            try stored.layout.withUnsafeBytes { layout -> FieldValue in
                let view = try StoredFieldsView(text: text, layout: layout)
                let entry = try #require(view.entry(5))
                return try view.value(of: entry) { _ in utf8("\"AQ==\"") }
            }
        }
        #expect(value == .bytes([1]))
    }

    /// Whether a damaged form is rejected; it must not crash either way.
    static func isRejected(_ stored: StoredFields) -> Bool {
        do throws(RecordError) {
            try stored.withView { view throws(RecordError) in
                for entry in view.entries {
                    _ = view.name(of: entry)
                    _ = try? view.value(of: entry) { _ in [] }
                }
                _ = try? view.references(includingNone: true)
                try view.check()
            }
            return false
        } catch {
            return error.code == .internalError
        }
    }

    @Test func `a cut or lengthened layout or text is rejected`() throws {
        let stored = try Self.sample()
        #expect(!Self.isRejected(stored))
        for count in 0..<stored.layout.count {
            #expect(Self.isRejected(StoredFields(text: stored.text, layout: Array(stored.layout[..<count]))))
        }
        for count in 0..<stored.text.count {
            #expect(Self.isRejected(StoredFields(text: Array(stored.text[..<count]), layout: stored.layout)))
        }
        #expect(Self.isRejected(StoredFields(text: stored.text + [0x20], layout: stored.layout)))
        #expect(Self.isRejected(StoredFields(text: stored.text, layout: stored.layout + [0])))
    }

    @Test func `every change of a byte of the layout that shows is rejected`() throws {
        let stored = try Self.sample()
        var unseen = 0
        for index in stored.layout.indices {
            for byte in UInt8.min...UInt8.max where byte != stored.layout[index] {
                var layout = stored.layout
                layout[index] = byte
                if !Self.isRejected(StoredFields(text: stored.text, layout: layout)) { unseen += 1 }
            }
        }
        // Field numbers can change within their order, and the length of the external value is not in the text.
        #expect(unseen < 800)
    }

    @Test func `every change of a byte of the text is rejected, or makes another canonical value`() throws {
        let stored = try Self.sample()
        for index in stored.text.indices {
            for byte in [0x00, 0x20, 0x22, 0x2C, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8]
            where byte != stored.text[index] {
                var text = stored.text
                text[index] = byte
                let damaged = StoredFields(text: text, layout: stored.layout)
                if Self.isRejected(damaged) { continue }
                let response = try Sample.compose(damaged, externals: [5: utf8("\"AQ==\"")])
                #expect(throws: Never.self) { try JSONValue.parse(response) }
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `noise is rejected without a crash`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let layout: [UInt8] =
                [1]
                + (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            let text = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            #expect(Self.isRejected(StoredFields(text: text, layout: layout)))
        }
    }
}
