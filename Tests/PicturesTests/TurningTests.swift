import Testing

@testable import Pictures

@Suite struct TurningTests {
    /// An image of letters that shows the effect of the steps.
    private struct Letters: Equatable {
        var rows: [[Character]]

        init(_ rows: String...) { self.rows = rows.map(Array.init) }

        mutating func mirrorLeftRight() { rows = rows.map { $0.reversed() } }

        mutating func mirrorTopBottom() { rows.reverse() }

        mutating func rotateAnticlockwise() {
            rows = rows[0].indices.reversed().map { column in rows.map { $0[column] } }
        }
    }

    /// How "AB/CD/EF" looks in each of EXIF's orientations (EXIF 2.32 §4.6.4: where the 0th row and column are).
    private static let views: [Int: Letters] = [
        1: Letters("AB", "CD", "EF"), 2: Letters("BA", "DC", "FE"), 3: Letters("FE", "DC", "BA"),
        4: Letters("EF", "CD", "AB"), 5: Letters("ACE", "BDF"), 6: Letters("ECA", "FDB"),
        7: Letters("FDB", "ECA"), 8: Letters("BDF", "ACE"),
    ]

    @Test func `any steps look as the orientation says`() {
        // All runs of up to five steps, of five kinds each.
        for run in 0..<3125 {
            var letters = Letters("AB", "CD", "EF")
            var turning = Turning()
            var digits = run
            while digits > 0 {
                switch digits % 5 {
                case 1:
                    letters.rotateAnticlockwise()
                    turning.rotate(anticlockwise: 1)
                case 2:
                    for _ in 0..<3 { letters.rotateAnticlockwise() }
                    turning.rotate(anticlockwise: 3)
                case 3:
                    letters.mirrorLeftRight()
                    turning.mirrorLeftRight()
                case 4:
                    letters.mirrorTopBottom()
                    turning.mirrorTopBottom()
                default:
                    break
                }
                digits /= 5
            }
            #expect(Self.views[turning.orientation] == letters, "\(run)")
            #expect(turning.swapsSides == (letters.rows.count == 2))
        }
    }
}
