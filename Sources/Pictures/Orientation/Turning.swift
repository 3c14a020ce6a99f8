/// How an image is turned and mirrored: one of the eight symmetries of a rectangle, built step by step.
///
/// Any of them is a mirroring of left and right, or none, followed by quarter turns.
struct Turning: Hashable {
    private var isMirrored = false
    /// Clockwise, 0 to 3.
    private var quarters = 0

    /// Turns what there is by `count` quarters anticlockwise.
    mutating func rotate(anticlockwise count: Int) {
        quarters = (quarters - count) & 3
    }

    /// Exchanges the left and the right of what there is.
    mutating func mirrorLeftRight() {
        // A mirroring moved before turns reverses them.
        quarters = -quarters & 3
        isMirrored.toggle()
    }

    /// Exchanges the top and the bottom of what there is.
    mutating func mirrorTopBottom() {
        mirrorLeftRight()
        rotate(anticlockwise: 2)
    }

    /// Whether what was the width has become the height.
    var swapsSides: Bool { quarters & 1 == 1 }

    /// The same as EXIF has it, 1 to 8 (EXIF 2.32 §4.6.4, tag 0x0112).
    var orientation: Int {
        switch (quarters, isMirrored) {
        case (0, false): 1
        case (0, true): 2
        case (2, false): 3
        case (2, true): 4
        case (3, true): 5
        case (1, false): 6
        case (1, true): 7
        default: 8
        }
    }
}
