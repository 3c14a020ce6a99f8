import FuzzTargets
import Pictures
import Testing

@Suite struct HEIFHeaderTests {
    private let upright = Picture(format: .heic, width: 4032, height: 3024)

    @Test(
        "The brands of HEIF and HEVC are read",
        arguments: [
            "mif1", "mif2", "msf1", "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs",
        ])
    func brands(_ brand: String) {
        #expect(PictureHeader.read(HEIF(major: brand, brands: []).file) == upright)
        #expect(PictureHeader.read(HEIF(major: "1pic", brands: ["1pic", brand]).file) == upright)
    }

    @Test("AVIF is recognized by a brand and by the coding of its items", arguments: ["avif", "avis", "mif1", "1pic"])
    func avif(_ major: String) {
        let upright = Picture(format: .avif, width: 4032, height: 3024)
        #expect(PictureHeader.read(HEIF.avif(major: major).file) == upright)
        let coded = [HEIF.box("av1C", [1]), HEIF.size(4032, 3024)]
        #expect(
            PictureHeader.read(HEIF(major: major, brands: ["avif"], properties: coded, itemType: "grid").file)
                == upright)
        let turned = HEIF.avif(
            major: major, properties: coded + [HEIF.turn(1), HEIF.mirror(1)], associations: [2, 3, 4])
        #expect(PictureHeader.read(turned.file)?.orientation == 7)
    }

    @Test func `the coding of its items decides the format of a file with both brands`() {
        #expect(PictureHeader.read(HEIF(brands: ["mif1", "avif"]).file) == upright)
        var file = HEIF.avif(major: "heic")
        file.brands.append("heic")
        #expect(PictureHeader.read(file.file)?.format == .avif)
    }

    @Test func `a coding without its brand, and other brands, are not read`() {
        #expect(PictureHeader.read(HEIF(major: "avif").file) == nil)
        #expect(PictureHeader.read(HEIF(major: "avis", itemType: "grid").file) == nil)
        #expect(PictureHeader.read(HEIF(major: "isom", brands: ["isom", "mp42"]).file) == nil)
        #expect(PictureHeader.read(HEIF(major: "isom", brands: []).file) == nil)
        // The brands may be anyone's; the primary item says how it is coded.
        #expect(PictureHeader.read(HEIF(itemType: "av01").file) == nil)
        let coded = [HEIF.box("av1C", [1]), HEIF.size(4032, 3024)]
        #expect(PictureHeader.read(HEIF(major: "mif1", properties: coded, itemType: "grid").file) == nil)
    }

    @Test("A derived image is as large as its own ispe says", arguments: ["grid", "iovl", "iden"])
    func derived(_ type: String) {
        let properties = [HEIF.size(512, 512), HEIF.box("hvcC", [1]), HEIF.size(4032, 3024)]
        #expect(PictureHeader.read(HEIF(properties: properties, associations: [3], itemType: type).file) == upright)
    }

    @Test("Wide identifiers, wide indices and any place of the metadata are read", arguments: 0..<16)
    func layouts(_ bits: Int) {
        var file = HEIF(isWide: bits & 1 != 0, hasWideIndices: bits & 2 != 0)
        file.hasMetaLast = bits & 4 != 0
        file.endsOpen = bits & 8 != 0
        #expect(PictureHeader.read(file.file) == upright)
    }

    @Test func `boxes of the metadata come in any order, among others, and once`() {
        let file = HEIF()
        let boxes = file.parts.map(\.box)
        #expect(PictureHeader.read(file.file(boxes.reversed().flatMap { $0 })) == upright)
        let others = HEIF.box("idat", [1, 2]) + HEIF.largeBox("iloc", [3])
        #expect(PictureHeader.read(file.file(boxes.flatMap { others + $0 })) == upright)
        for index in boxes.indices {
            var fewer = boxes
            fewer.remove(at: index)
            #expect(PictureHeader.read(file.file(fewer.flatMap { $0 })) == nil)
            #expect(PictureHeader.read(file.file((boxes + [boxes[index]]).flatMap { $0 })) == nil)
        }
    }

    @Test func `metadata that are not a picture's are rejected`() {
        #expect(PictureHeader.read(HEIF(handler: "mdir").file) == nil)
    }

    @Test("irot and imir become an orientation", arguments: 0...3, [nil, 0, 1] as [Int?])
    func transforms(_ quarters: Int, _ mode: Int?) {
        // The table of ISO/IEC 23008-12's turns in EXIF's terms, worked out by hand: rows turn by 0, 90, 180 and 270
        // degrees anticlockwise; columns mirror not at all, top with bottom, left with right.
        let table = [[1, 4, 2], [8, 5, 7], [3, 2, 4], [6, 7, 5]]
        let expected = table[quarters][mode.map { $0 + 1 } ?? 0]
        let sides = [HEIF.box("hvcC", [1]), HEIF.size(4032, 3024), HEIF.turn(quarters)]
        let file = HEIF(
            properties: sides + (mode.map { [HEIF.mirror($0)] } ?? []),
            associations: mode == nil ? [1, 2, 3] : [1, 2, 3, 4])
        #expect(
            PictureHeader.read(file.file) == Picture(format: .heic, width: 4032, height: 3024, orientation: expected))
    }

    @Test func `transforms are done in the order of their association, not of their boxes`() {
        let properties = [HEIF.mirror(1), HEIF.turn(1), HEIF.size(4032, 3024)]
        // Turned anticlockwise and then mirrored left to right: EXIF's 7. The other way round: 5.
        #expect(PictureHeader.read(HEIF(properties: properties, associations: [3, 2, 1]).file)?.orientation == 7)
        #expect(PictureHeader.read(HEIF(properties: properties, associations: [3, 1, 2]).file)?.orientation == 5)
        // A property of another item, and the index that says there is none, do nothing.
        #expect(PictureHeader.read(HEIF(properties: properties, associations: [0, 3, 0]).file) == upright)
    }

    @Test func `a clean aperture crops the picture before or after it is turned`() {
        let crop = HEIF.crop((200, 1), (201, 2))
        let properties = [HEIF.size(400, 300), HEIF.turn(1), crop]
        let first = PictureHeader.read(HEIF(properties: properties, associations: [1, 3, 2]).file)
        #expect(first == Picture(format: .heic, width: 200, height: 101, orientation: 8))
        let last = PictureHeader.read(HEIF(properties: properties, associations: [1, 2, 3]).file)
        #expect(last == Picture(format: .heic, width: 101, height: 200, orientation: 8))
        for wrong in [
            HEIF.crop((401, 1), (1, 1)), HEIF.crop((1, 0), (1, 1)), HEIF.crop((0, 1), (1, 1)), HEIF.box("clap", []),
        ] {
            #expect(
                PictureHeader.read(HEIF(properties: [HEIF.size(400, 300), wrong], associations: [1, 2]).file) == nil)
        }
    }

    @Test func `a picture without a size, or with an impossible one, is rejected`() {
        #expect(PictureHeader.read(HEIF(associations: [1]).file) == nil)
        #expect(PictureHeader.read(HEIF(associations: []).file) == nil)
        #expect(PictureHeader.read(HEIF(associations: [1, 2, 3]).file) == nil)
        for (width, height) in [(0, 1), (1, 0), ((1 << 20) + 1, 1), (1, 0xFFFF_FFFF)] {
            let file = HEIF(properties: [HEIF.size(width, height)], associations: [1]).file
            #expect(PictureHeader.read(file) == nil)
        }
        let version1 = HEIF.fullBox("ispe", version: 1, big(1, 4) + big(1, 4))
        #expect(PictureHeader.read(HEIF(properties: [version1], associations: [1]).file) == nil)
    }

    @Test func `the EXIF item says nothing of the orientation`() {
        // Its bytes are in mdat, and no one looks there; the builder's file has an item of that type.
        let metadata = HEIF.box("mdat", big(0, 4) + TIFF.orientation(6))
        #expect(PictureHeader.read(HEIF().file + metadata) == upright)
        #expect(PictureHeader.read(HEIF(extra: metadata).file) == upright)
    }

    @Test("The size of a box is sound", arguments: [0, 1, 2, 7, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func boxSizes(_ size: Int) {
        let file = HEIF()
        #expect(PictureHeader.read(file.file(file.parts.flatMap(\.box) + HEIF.box("free", [], size: size))) == nil)
        #expect(
            PictureHeader.read(HEIF.box("ftyp", ascii("heic") + big(0, 4), size: size) + file.file.dropFirst(24)) == nil
        )
    }

    @Test("The large size of a box is sound", arguments: [0, 1, 15, 1 << 32, Int.max - 15, Int.max, -1, Int.min])
    func largeSizes(_ size: Int) {
        let file = HEIF()
        let parts = file.parts.flatMap(\.box)
        #expect(PictureHeader.read(file.file(parts + HEIF.largeBox("free", [], size: size))) == nil)
        #expect(PictureHeader.read(file.file(parts + HEIF.largeBox("free", [], size: 16))) == upright)
    }

    @Test func `a file with a box of more than 4 GiB before its metadata is read`() {
        let type = Array(HEIF().file.prefix(24))
        let tail = Array(HEIF().file.dropFirst(24))
        let gap = 5 << 30
        let head = type + HEIF.largeBox("mdat", [], size: 16 + gap)
        let source = MeteredSource(size: head.count + gap + tail.count) { offset in
            if offset < head.count { return head[offset] }
            return offset < head.count + gap ? 0xAA : tail[offset - head.count - gap]
        }
        #expect(source.header() == upright)
        #expect(source.reads == 2)
        #expect(source.offences.isEmpty)
    }

    @Test func `a sequence without items is not read`() {
        let type = Array(HEIF(major: "hevc", brands: ["msf1"]).file.prefix(20))
        #expect(PictureHeader.read(type + HEIF.box("moov", HEIF.box("mvhd", big(0, 100)))) == nil)
    }
}
