import Sockets

/// The bodies of answers on one loop that clients have not taken yet.
///
/// A request of a hundred bytes can make megabytes, and a client that never reads keeps them for a whole write deadline:
/// without a bound a single address fills the memory. Who has taken nothing for the longest makes room for the others, so
/// that idle readers drive out each other and not those who read.
extension ServerLoop {
    /// Counts `count` bytes that `connection` holds, and makes room for them.
    ///
    /// - Returns: `false` if the bytes alone are more than the loop's share.
    func hold(_ count: Int, for connection: HTTPConnection) -> Bool {
        guard count <= maxHeldBytes else { return false }
        while heldBytes > maxHeldBytes - count {
            guard let stalest = stalestHolder(besides: connection) else { return false }
            stalest.dropHeldAnswer()
        }
        heldBytes += count
        connection.heldBytes += count
        return true
    }

    /// Takes off what `connection` holds.
    func letGo(_ connection: HTTPConnection) {
        heldBytes -= connection.heldBytes
        connection.heldBytes = 0
    }
}

extension HTTPConnection {
    /// Others need the room: the client is reset, and the task that waits for it ends.
    fileprivate func dropHeldAnswer() {
        server.letGo(self)
        socket.reset()
    }
}
