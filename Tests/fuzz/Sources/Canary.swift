/// A reader with faults, which `test_fuzz.py` demands to be found: an input that begins with "fog" is read wrongly, in the way
/// that its next byte names.
enum Canary {
    static func read(_ bytes: [UInt8]) {
        guard bytes.count > 3, bytes[0] == UInt8(ascii: "f") else { return }
        guard bytes[1] == UInt8(ascii: "o") else { return }
        guard bytes[2] == UInt8(ascii: "g") else { return }
        switch bytes[3] {
        case UInt8(ascii: "p"): bytes.withUnsafeBytes { note($0.baseAddress.map { readBeyond($0, bytes.count) }) }
        case UInt8(ascii: "b"):
            bytes.withUnsafeBytes { note(readBeyond(UnsafeRawBufferPointer(rebasing: $0[..<3]), bytes.count - 1)) }
        case UInt8(ascii: "o"): note(addBeyond(Int.max - 3, bytes.count))
        case UInt8(ascii: "a"): assert(bytes.count < 4, "An assertion")
        case UInt8(ascii: "l"): leak(bytes.count)
        default: return
        }
    }

    /// The byte after an allocation, which only the address sanitizer detects.
    @inline(never)
    private static func readBeyond(_ start: UnsafeRawPointer, _ place: Int) -> UInt8 {
        start.load(fromByteOffset: place, as: UInt8.self)
    }

    /// A byte after a buffer and inside its allocation, which only the checks of debug builds detect.
    @inline(never)
    private static func readBeyond(_ buffer: UnsafeRawBufferPointer, _ place: Int) -> UInt8 {
        buffer[place]
    }

    /// An overflow, which traps in any build but an unchecked one.
    @inline(never)
    private static func addBeyond(_ first: Int, _ second: Int) -> Int {
        first + second
    }

    /// Memory that is never freed.
    @inline(never)
    private static func leak(_ count: Int) {
        UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1).storeBytes(of: 0, as: UInt8.self)
    }

    /// Keeps the optimizer from removing an unused value.
    @inline(never)
    private static func note(_ value: some Any) {
        if "\(value)".isEmpty { print(value) }
    }
}
