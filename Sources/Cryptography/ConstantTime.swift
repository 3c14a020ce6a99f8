import CCrypto

/// Comparison of secrets without a timing side channel.
package enum ConstantTime {
    /// Returns whether `left` and `right` are equal. The running time depends only on their lengths.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in equal(left, right) } }
    }

    /// Returns whether `left` and `right` are equal. The running time depends only on their lengths.
    package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
        return CRYPTO_memcmp(leftStart, rightStart, left.count) == 0
    }
}
