import Containers

/// The bodies of answers on one loop that clients have not taken yet.
///
/// A request of a hundred bytes can make megabytes, and a client that never reads keeps them for a whole write deadline:
/// without a bound a single address fills the memory. Beyond the bound those connections are reset that have taken nothing
/// for the longest, so that clients that read are not hurt by those that do not.
extension ServerLoop {
    /// Counts `count` bytes that `writer` holds, and makes room for them.
    ///
    /// - Returns: `false` if the bytes alone are more than the loop's share.
    func hold(_ count: Int, for writer: ResponseWriter) -> Bool {
        guard count <= maxHeldBytes else { return false }
        if heldBytes > maxHeldBytes - count {
            // One answer can drive out hundreds of small ones: each of them is not looked for among all connections.
            let isStaler = { (one: ResponseWriter, other: ResponseWriter) in one.lastTaken < other.lastTaken }
            var holders = Heap(holders(besides: writer), by: isStaler)
            while heldBytes > maxHeldBytes - count {
                guard let stalest = holders.popMin(by: isStaler) else { return false }
                stalest.drop()
            }
        }
        heldBytes += count
        writer.heldBytes += count
        return true
    }

    /// Takes off what `writer` holds.
    func letGo(_ writer: ResponseWriter) {
        heldBytes -= writer.heldBytes
        writer.heldBytes = 0
    }
}
