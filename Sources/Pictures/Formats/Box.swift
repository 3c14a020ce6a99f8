/// A box of the ISO base media file format (ISO/IEC 14496-12 §4.2):
///
/// ```
/// | size | type | content |  size up to 2³²-1
/// |  4   |  4   |         |
///
/// | 1    | type | size | content |  larger size
/// | 4    |  4   |  8   |         |
/// ```
///
/// The size counts the whole box, including the size and type.
struct Box {
    let type: Code
    let content: Extent
}

extension HeaderReader {
    /// Reads a box from the start of an extent.
    ///
    /// - Parameter mayBeOpen: Whether the size may be 0, which means that the box ends at the end of the file. Only a
    ///   top-level box may have the size 0.
    /// - Returns: The box; `nil` if the extent is empty or the box does not fit in the extent.
    /// - Throws: Any error that the source throws.
    mutating func box(from extent: inout Extent, mayBeOpen: Bool = false) throws(Failure) -> Box? {
        let whole = extent.count
        guard let size = try number(4, from: &extent), let type = try code(from: &extent) else { return nil }
        let count: Int
        switch size {
        case 0 where mayBeOpen:
            count = extent.count
        case 1:
            // The 64-bit size follows. `Int.max` minus the bytes read so far cannot overflow.
            guard let large = try number(8, from: &extent) else { return nil }
            count = large - (whole - extent.count)
        default:
            count = size - 8
        }
        guard let content = extent.take(count) else { return nil }
        return Box(type: type, content: content)
    }

    /// Reads the version and flags at the start of a full box (§4.2).
    mutating func versionAndFlags(from extent: inout Extent) throws(Failure) -> (version: Int, flags: Int)? {
        guard let version = try number(1, from: &extent), let flags = try number(3, from: &extent) else { return nil }
        return (version, flags)
    }
}
