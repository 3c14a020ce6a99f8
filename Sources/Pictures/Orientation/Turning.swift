/// The rotation and mirroring of an image, one of the eight symmetries of a rectangle. The type composes several steps
/// into one symmetry.
///
/// Each symmetry is an optional left-right mirroring followed by clockwise quarter turns.
struct Turning: Hashable {
    private var isMirrored = false
    /// The quarter turns clockwise, 0 to 3.
    private var quarters = 0

    /// Rotates the image counterclockwise by a number of quarter turns.
    mutating func rotate(anticlockwise count: Int) {
        quarters = (quarters - count) & 3
    }

    /// Mirrors left and right.
    mutating func mirrorLeftRight() {
        // The stored mirroring comes before the rotation. Moving the new mirroring there reverses the direction of the
        // rotation.
        quarters = -quarters & 3
        isMirrored.toggle()
    }

    /// Mirrors top and bottom.
    mutating func mirrorTopBottom() {
        mirrorLeftRight()
        rotate(anticlockwise: 2)
    }

    /// Whether the image's width and height are swapped.
    var swapsSides: Bool { quarters & 1 == 1 }

    /// The equivalent EXIF orientation, 1 to 8 (EXIF 2.32 §4.6.4, tag 0x0112).
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
