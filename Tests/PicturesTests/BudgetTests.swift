import FuzzTargets
import Pictures
import Testing

/// Files that want more work than a header is worth. None of them is in memory: their bytes are worked out.
@Suite struct BudgetTests {
    /// A file of `prefix` and then `unit`, over and over.
    private func endless(_ prefix: [UInt8], _ unit: [UInt8], size: Int = .max) -> MeteredSource {
        MeteredSource(size: size) { offset in
            offset < prefix.count ? prefix[offset] : unit[(offset - prefix.count) % unit.count]
        }
    }

    @Test("A JPEG may have 200 segments of 64 KiB before its frame header, but not 300", arguments: [200, 300])
    func segments(_ count: Int) {
        let segment = JPEG.segment(0xE2, Array(repeating: 0, count: 65_533))
        let tail = JPEG.frame(640, 480)
        let size = 2 + count * segment.count + tail.count
        let source = MeteredSource(size: size) { offset in
            let index = offset - 2
            if index < 0 { return JPEG.start[offset] }
            return index < count * segment.count ? segment[index % segment.count] : tail[index - count * segment.count]
        }
        let expected = Picture(format: .jpeg, width: 640, height: 480)
        #expect(source.header() == (count == 200 ? expected : nil))
        #expect(source.reads == min(count + 1, 256))
        #expect(source.offences.isEmpty)
    }

    @Test func `endless fill bytes, stray bytes and small segments end`() {
        for unit in [[0xFF], [0x00], [0xFF, 0xD0], [0xFF, 0xE2, 0, 2]] as [[UInt8]] {
            let source = endless(JPEG.start + [0xFF], unit)
            #expect(source.header() == nil)
            #expect(source.offences.isEmpty)
            // Each byte or segment takes a number at least, and few bytes are read twice.
            #expect(source.bytes < 1 << 18)
        }
    }

    @Test func `endless chunks of a PNG end`() {
        for data in [0, 9000] {
            let unit = PNG.chunk("tEXt", Array(repeating: 0, count: data))
            let source = endless(PNG.signature + PNG.header(640, 480), unit)
            #expect(source.header() == nil)
            #expect(source.offences.isEmpty)
            // Either the numbers or the reads are spent.
            #expect(data == 0 ? source.reads < 256 : source.reads == 256)
        }
    }

    @Test func `an animation with more frames than may be stepped over is upright`() {
        let header = WebP.extended(640, 480, flags: 0x0A)
        let file = WebP.file(header, size: 0x7FFF_FFFF)
        let source = endless(file, WebP.chunk("ANMF", Array(repeating: 0, count: 9000)))
        #expect(source.header() == Picture(format: .webp, width: 640, height: 480))
        #expect(source.reads == 256)
        #expect(source.offences.isEmpty)
    }

    @Test func `endless boxes, in the file and in its metadata, end`() {
        let type = Array(HEIF().file.prefix(24))
        let metadata = type + HEIF.largeBox("meta", big(0, 4), size: Int.max - 24)
        for prefix in [type, metadata] {
            for content in [0, 9000] {
                let source = endless(prefix, HEIF.box("free", Array(repeating: 0, count: content)))
                #expect(source.header() == nil)
                #expect(source.offences.isEmpty)
                #expect(content == 0 ? source.reads < 256 : source.reads == 256)
            }
        }
    }

    @Test func `a thousand items are within the budget`() {
        var file = HEIF(associations: [2], primary: 1001, itemType: "grid")
        let tiles = (1...1000).map { $0 }
        let items = HEIF.fullBox(
            "iinf", big(1001, 2) + tiles.flatMap { file.entry($0, "hvc1") } + file.entry(1001, "grid"))
        let entries = tiles.flatMap { file.association($0, [1, 2, 1, 2]) } + file.association(1001, [2])
        let properties = HEIF.box(
            "iprp", HEIF.box("ipco", file.properties.flatMap { $0 }) + HEIF.fullBox("ipma", big(1001, 4) + entries))
        file.hasMetaLast = true
        let fixed = file.parts.filter { ["hdlr", "pitm"].contains($0.type) }.flatMap(\.box)
        let source = MeteredSource(file.file(fixed + items + properties))
        #expect(source.header() == Picture(format: .heic, width: 4032, height: 3024))
        #expect(source.reads < 20)
    }

    @Test func `lists of items, properties and associations that claim to be long end`() {
        let size = 1 << 40
        /// Opens a box that ends with the file.
        func opening(_ type: String, _ content: [UInt8], after bytes: [UInt8]) -> [UInt8] {
            bytes + HEIF.largeBox(type, content, size: size - bytes.count)
        }
        let file = HEIF()
        let parts = Dictionary(uniqueKeysWithValues: file.parts.map { ($0.type, $0.box) })
        let meta = opening("meta", big(0, 4), after: Array(file.file.prefix(24)))
        let head = meta + (parts["hdlr"] ?? []) + (parts["pitm"] ?? [])
        let items = opening("iinf", big(0, 4) + big(0xFFFF, 2), after: head + (parts["iprp"] ?? []))
        let properties = opening("ipco", [], after: opening("iprp", [], after: head + file.items))
        let associations = opening(
            "ipma", big(0, 4) + big(0xFFFF_FFFF, 4),
            after: opening("iprp", HEIF.box("ipco", []), after: head + file.items))
        for (list, unit) in [
            (items, file.entry(3, "hvc1")), (properties, HEIF.box("colr", Array(repeating: 0, count: 3000))),
            (associations, file.association(3, [1, 1, 1])),
        ] {
            let source = endless(list, unit, size: size)
            #expect(source.header() == nil)
            #expect(source.offences.isEmpty)
        }
        // Properties of eight bytes reach the number that an index can name before the budget is spent.
        let small = endless(properties, HEIF.box("free", []), size: size)
        #expect(small.header() == nil)
        #expect(small.offences.isEmpty)
        #expect(small.reads < 100)
    }
}
