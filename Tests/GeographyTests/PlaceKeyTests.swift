import Geography
import TestSupport
import Testing

@Suite struct PlaceKeyTests {
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a cell contains the places with its keys`(seed: UInt64) {
        var places = RandomPlaces(seed: seed)
        for _ in 0..<2_000 {
            let place = places.next()
            let key = PlaceKey(place)
            for level in [0, 1, 7, 31, 32] {
                let cell = PlaceCell(containing: key, level: level)
                #expect(cell.level == level && cell.keys.contains(key))
                #expect((cell.south - 1e-12...cell.north + 1e-12).contains(place.latitude))
                #expect((cell.west - 1e-12...cell.east + 1e-12).contains(place.longitude))
            }
            #expect(key.cell.keys == key...key)
            #expect(key.cell.north - key.cell.south < 5e-8 && key.cell.east - key.cell.west < 1e-7)
        }
    }

    @Test func `bytes have the order of keys`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let one = PlaceKey(code: random.next() >> UInt64.random(in: 0..<64, using: &random))
            let other = PlaceKey(code: random.next() >> UInt64.random(in: 0..<64, using: &random))
            #expect(one.bytes.count == 8)
            #expect(one.bytes.lexicographicallyPrecedes(other.bytes) == (one < other))
            #expect(try #require(PlaceKey(bytes: one.bytes)) == one)
        }
        #expect(
            PlaceKey(bytes: [1, 2, 3, 4, 5, 6, 7]) == nil && PlaceKey(bytes: [UInt8](repeating: 0, count: 9)) == nil)
    }

    @Test func `children divide the keys of a cell in their order`() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let cell = PlaceCell(
                containing: PlaceKey(code: random.next()), level: Int.random(in: 0..<32, using: &random))
            let children = cell.children
            #expect(children.count == 4)
            #expect(children[0].keys.lowerBound == cell.keys.lowerBound)
            #expect(children[3].keys.upperBound == cell.keys.upperBound)
            for (one, next) in zip(children, children.dropFirst()) {
                #expect(one.keys.upperBound.code + 1 == next.keys.lowerBound.code)
            }
        }
        #expect(PlaceKey(code: 5).cell.children.isEmpty)
    }

    @Test(arguments: [1, 2, 5, 8])
    func `cells with consecutive keys share a side`(level: Int) {
        let size = UInt64.max >> (2 * UInt64(level))
        var previous: PlaceCell?
        for index in 0..<(1 << (2 * UInt64(level))) as Range<UInt64> {
            let cell = PlaceCell(containing: PlaceKey(code: index * (size + 1)), level: level)
            if let previous {
                let columns = abs(cell.west - previous.west) / (360 / Double(1 << level))
                let rows = abs(cell.south - previous.south) / (180 / Double(1 << level))
                #expect(columns + rows == 1)
            }
            previous = cell
        }
    }

    @Test func `keys of known places do not change`() {
        #expect(PlaceKey(place(-90, 0)) == PlaceKey(place(-90, 77)))
        #expect(PlaceKey(place(0, 180)) == PlaceKey(place(0, -180)))
        #expect(PlaceKey(place(-89.999999999, -180)).code == 0)
        #expect(PlaceKey(place(89.999999999, 179.999999999)).code == 0xAAAA_AAAA_AAAA_AAAA)
        #expect(PlaceKey(place(35.681236, 139.767125)).code == 0xB309_D150_F720_0BFB)
    }
}
