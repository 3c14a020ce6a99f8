/// Writes the pieces of a response head into one buffer that is large enough for all of them.
///
/// Each piece costs one check and one copy here. Appending a dozen pieces to an array would cost more than copying
/// them.
struct HeadWriter {
    private let room: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ room: UnsafeMutableRawBufferPointer) {
        self.room = room
    }

    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= room.count &- count, "The room for a head was reckoned too small")
        guard let target = room.baseAddress, let source = bytes.baseAddress else { return }
        (target + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    mutating func put(_ literal: StaticString) {
        put(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        precondition(count < room.count, "The room for a head was reckoned too small")
        room[count] = byte
        count &+= 1
    }

    /// Writes a number in decimal, with up to 20 digits.
    mutating func put(decimal value: Int) {
        var divisor = 1
        while value / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            put(UInt8(truncatingIfNeeded: value / divisor % 10) &+ 0x30)
            divisor /= 10
        }
    }

    /// Writes a field value. Each control character except HTAB becomes a space.
    mutating func put(value: String) {
        for unit in value.utf8 { put(unit.isForbiddenInValue ? 0x20 : unit) }
    }
}
