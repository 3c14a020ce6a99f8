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
        if heldBytes > maxHeldBytes - count {
            // One answer can drive out hundreds of small ones: each of them is not looked for among all connections.
            var holders = LeastFirst(holders(besides: connection))
            while heldBytes > maxHeldBytes - count {
                guard let stalest = holders.next() else { return false }
                stalest.connection.dropHeldAnswer()
            }
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

/// A connection that holds an answer: the least is the one that has taken nothing of it for the longest.
struct AnswerHolder: Comparable {
    let connection: HTTPConnection
    private let lastTaken: UInt64
    private let index: Int

    init(_ connection: HTTPConnection) {
        self.connection = connection
        lastTaken = connection.lastTaken
        index = connection.index
    }

    static func == (one: AnswerHolder, other: AnswerHolder) -> Bool { one.connection === other.connection }

    static func < (one: AnswerHolder, other: AnswerHolder) -> Bool {
        (one.lastTaken, one.index) < (other.lastTaken, other.index)
    }
}

extension HTTPConnection {
    /// Others need the room: the client is reset, and the task that waits for it ends.
    fileprivate func dropHeldAnswer() {
        server.letGo(self)
        socket.reset()
    }
}
