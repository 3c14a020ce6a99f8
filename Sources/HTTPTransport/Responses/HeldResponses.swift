import Containers

/// Limits the response bodies of one loop that clients have not read yet.
///
/// A request of a hundred bytes can create megabytes. If the client does not read them, they stay in memory until the
/// write deadline. Without a limit, one address could fill the memory. If the limit is exceeded, the loop resets the
/// connections whose clients have read nothing for the longest time. So clients that read are not affected.
extension ServerLoop {
    /// Counts `count` bytes that `writer` holds. If that exceeds the limit, resets other connections.
    ///
    /// - Returns: `false` if `count` alone exceeds the limit of the loop.
    func hold(_ count: Int, for writer: ResponseWriter) -> Bool {
        guard count <= maxHeldBytes else { return false }
        if heldBytes > maxHeldBytes - count {
            // One response can evict hundreds of small responses. A heap avoids a search through all connections for
            // each of them.
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

    /// Stops counting the bytes that `writer` holds.
    func letGo(_ writer: ResponseWriter) {
        heldBytes -= writer.heldBytes
        writer.heldBytes = 0
    }
}
