/// The one empty array that all threads of a process share.
///
/// A write into it, even of the length that it has, happens while other threads read it.
package enum SharedEmptyArray {
    /// Whether `body` writes its length. To be asked in a process of its own: meanwhile it has another length.
    package static func isWritten(by body: () -> Void) -> Bool {
        let array = unsafeBitCast([] as [UInt8], to: UnsafeMutableRawPointer.self)
        // After the two words at the start of each object.
        let length = array.advanced(by: 2 * MemoryLayout<Int>.size)
        precondition(length.load(as: Int.self) == 0)
        length.storeBytes(of: 77, as: Int.self)
        defer { length.storeBytes(of: 0, as: Int.self) }
        body()
        return length.load(as: Int.self) != 77
    }
}
