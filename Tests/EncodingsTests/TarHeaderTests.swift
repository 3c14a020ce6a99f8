import Encodings
import Testing

@Suite struct TarHeaderTests {
    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    @Test func `a header has the name, the size and a checksum in octal digits`() {
        let block = TarHeader(name: "backup/a.txt", size: 1_000, modified: 1_700_000_000).bytes
        #expect(block.count == 512)
        #expect(Self.text(block) == "backup/a.txt" && Self.text(block[100...]) == "0000600")
        #expect(Self.text(block[124...]) == "00000001750" && Self.text(block[136...]) == "14524770400")
        #expect(block[156] == UInt8(ascii: "0") && Self.text(block[257...]) == "ustar")
        var open = block
        for place in 148..<156 { open[place] = 0x20 }
        let sum = open.reduce(0) { $0 + Int($1) }
        #expect(Int(Self.text(block[148...]), radix: 8) == sum)
        let directory = TarHeader(name: "backup/", size: 0, modified: -5, isDirectory: true).bytes
        #expect(directory[156] == UInt8(ascii: "5") && Self.text(directory[100...]) == "0000700")
        #expect(Self.text(directory[136...]) == "00000000000")
    }

    @Test(arguments: [(99, 0), (100, 0), (101, 1), (989, 1), (2_000, 1)])
    func `a long name has an extended header, whose record begins with its own length`(length: Int, extended: Int) {
        let name = String(repeating: "n", count: length)
        let bytes = TarHeader(name: name, size: 3, modified: 0).bytes
        guard extended > 0 else {
            #expect(bytes.count == 512)
            return
        }
        #expect(bytes[156] == UInt8(ascii: "x") && bytes.count % 512 == 0)
        let record = Self.text(bytes[512...])
        let size = Int(Self.text(bytes[124...]), radix: 8)
        #expect(record.hasSuffix(" path=\(name)\n") && record.hasPrefix("\(record.utf8.count) "))
        #expect(size == record.utf8.count)
        #expect(bytes[bytes.count - 512 + 156] == UInt8(ascii: "0"))
    }

    @Test func `a large size is in an extended header, and contents are filled up to blocks`() {
        let bytes = TarHeader(name: "a", size: 1 << 33, modified: 0).bytes
        #expect(Self.text(bytes[512...]) == "19 size=8589934592\n")
        #expect(TarHeader(name: "a", size: (1 << 33) - 1, modified: 0).bytes.count == 512)
        #expect([0, 1, 511, 512, 513].map(TarHeader.padding) == [0, 511, 1, 0, 511])
    }
}
