import FuzzTargets
import Pictures
import TestSupport
import Testing

/// For any bytes the result arrives within the budget and is a possible picture.
@Suite struct HostileInputTests {
    @Test("A file cut at any byte gives the right answer or none", arguments: BuiltPicture.all)
    func truncation(_ built: BuiltPicture) {
        var wrong: [Int] = []
        for count in 0..<built.bytes.count {
            let whole = MeteredSource(Array(built.bytes.prefix(count)))
            // The same, of a file that was longer when its size was asked for.
            let shrunk = PictureHeader.read(size: built.bytes.count) { offset, length in
                Array(built.bytes[min(offset, count)..<min(offset + length, count)])
            }
            let response = whole.header()
            if response != nil && response != built.picture || !whole.offences.isEmpty { wrong.append(count) }
            if shrunk != nil && shrunk != built.picture { wrong.append(count) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("A source that gives a byte at a time, nothing, or too much does no harm", arguments: BuiltPicture.all)
    func oddSources(_ built: BuiltPicture) {
        let size = built.bytes.count
        #expect(PictureHeader.read(size: size) { _, _ in [] } == nil)
        var reads = 0
        #expect(
            PictureHeader.read(size: size) { offset, _ in
                reads += 1
                return [built.bytes[offset]]
            } == nil)
        #expect(reads <= 256)
        let padded = PictureHeader.read(size: size) { offset, count in
            Array(built.bytes[offset...].prefix(count)) + Array(repeating: 0xFF, count: 5000)
        }
        #expect(padded == built.picture)
        #expect(PictureHeader.read(size: -1) { _, _ in built.bytes } == nil)
        #expect(PictureHeader.read(size: Int.min) { _, _ in built.bytes } == nil)
        // As large as can be, with the picture at its beginning.
        let endless = PictureHeader.read(size: Int.max) { offset, count in
            offset < size ? Array(built.bytes[offset...].prefix(count)) : []
        }
        #expect(endless == nil || endless == built.picture)
    }

    @Test("Any number anywhere set to any extreme does no harm", arguments: BuiltPicture.all)
    func extremes(_ built: BuiltPicture) {
        let extremes: [UInt64] = [0, 1, 2, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max]
        var offences: [String] = []
        for offset in stride(from: built.bytes.startIndex, to: built.bytes.endIndex, by: caseStride(5)) {
            for width in [1, 2, 3, 4, 8] where offset + width <= built.bytes.count {
                for extreme in extremes {
                    // The extreme's highest bytes, or its lowest for small numbers.
                    let value = extreme > 2 ? extreme >> (64 - 8 * UInt64(width)) : extreme
                    for number in [
                        big(Int(truncatingIfNeeded: value), width), little(Int(truncatingIfNeeded: value), width),
                    ] {
                        var file = built.bytes
                        file.replaceSubrange(offset..<offset + width, with: number)
                        let source = MeteredSource(file)
                        _ = source.header()
                        offences += source.offences
                    }
                }
            }
        }
        #expect(offences.isEmpty)
    }

    @Test("Thousands of mutations do no harm", arguments: Picture.Format.allCases)
    func mutations(_ format: Picture.Format) {
        let rounds = 20_000 / caseStride(4)
        let originals = BuiltPicture.all.filter { $0.picture.format == format }.map(\.bytes)
        let strangers = BuiltPicture.all.map(\.bytes)
        var generator = SeededGenerator(seed: 4)
        var offences: [String] = []
        var read = 0
        for round in 0..<rounds {
            var file = originals[round % originals.count]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                mutate(&file, among: strangers, &generator)
            }
            let source = MeteredSource(file)
            if source.header() != nil { read += 1 }
            offences += source.offences.map { "round \(round): \($0)" }
        }
        #expect(offences.isEmpty)
        // If none or all were read, the mutations would test little.
        #expect((rounds / 200..<rounds - rounds / 200).contains(read))
    }

    private func mutate(_ file: inout [UInt8], among strangers: [[UInt8]], _ generator: inout SeededGenerator) {
        guard let place = file.indices.randomElement(using: &generator) else { return }
        let length = min(Int.random(in: 1...12, using: &generator), file.count - place)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: file[place] = .random(in: 0...255, using: &generator)
        case 2: file[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        case 3:
            let byte: UInt8 = Bool.random(using: &generator) ? 0 : 0xFF
            file.replaceSubrange(place..<place + length, with: repeatElement(byte, count: length))
        case 4: file.removeSubrange(place..<place + length)
        case 5: file.insert(contentsOf: file[place..<place + length], at: place)
        case 6: file.removeLast(file.count - place)
        default:
            guard let stranger = strangers.randomElement(using: &generator) else { return }
            let start = Int.random(in: 0..<stranger.count, using: &generator)
            file.insert(contentsOf: stranger[start...].prefix(40), at: place)
        }
    }

    @Test func `random bytes behind a signature do no harm`() {
        var generator = SeededGenerator(seed: 5)
        let signatures = BuiltPicture.all.map { Array($0.bytes.prefix(12)) }
        var offences: [String] = []
        for round in 0..<5000 {
            let tail = (0..<Int.random(in: 0...600, using: &generator)).map { _ in
                // Small numbers make sound lengths more often.
                UInt8.random(in: 0...(Bool.random(using: &generator) ? 255 : 8), using: &generator)
            }
            let source = MeteredSource(signatures[round % signatures.count] + tail)
            _ = source.header()
            offences += source.offences
        }
        #expect(offences.isEmpty)
    }

    @Test func `an error of the source is rethrown at every read`() throws {
        struct Broken: Error, Equatable { let read: Int }
        // Each segment needs a read of its own.
        let file =
            JPEG.start + (0..<6).flatMap { _ in JPEG.segment(0xE2, Array(repeating: 0, count: 5000)) }
            + JPEG.frame(640, 480)
        func read(failingAt failing: Int) throws(Broken) -> Picture? {
            var reads = 0
            return try PictureHeader.read(size: file.count) { offset, count throws(Broken) in
                reads += 1
                if reads == failing { throw Broken(read: reads) }
                return Array(file[offset..<min(offset + count, file.count)])
            }
        }
        for failing in 1...7 { #expect(throws: Broken(read: failing)) { try read(failingAt: failing) } }
        #expect(try read(failingAt: 8) == Picture(format: .jpeg, width: 640, height: 480))
    }
}
