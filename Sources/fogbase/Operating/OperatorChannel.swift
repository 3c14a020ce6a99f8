import Cryptography
import Glibc
import RecordStorage
import RecordWire
import Sockets
import Threads

/// How the operator's commands reach the server that runs on a data folder: a file in it with an address and a token that
/// is good while the process lives. Who may read the file may read all data, so it gives nobody more than they have.
struct OperatorChannel {
    /// Such as `http://127.0.0.1:8080`.
    let url: String
    /// The path of the Unix socket, if the server listens on one.
    let unixPath: String?
    let token: String
    let process: Int32

    /// The file, in the data folder.
    static func path(in folder: String) -> String { folder + "/operator.json" }

    /// A new token: 256 random bits behind a prefix by which leaked ones are found.
    static func makeToken() -> String {
        "fbo_" + Base64URL.encode(RandomBytes.make(32))
    }

    /// - Parameter addresses: Where the server listens.
    init?(addresses: [SocketAddress], token: String) {
        var url: String?
        var unixPath: String?
        for address in addresses {
            switch address {
            case .unix(let path): unixPath = path
            default: url = url ?? "http://\(Self.local("\(address)"))"
            }
        }
        guard let url else { return nil }
        self.url = url
        self.unixPath = unixPath
        self.token = token
        process = getpid()
    }

    /// An address at which the server reaches itself: of all addresses of the machine, that of the machine itself.
    private static func local(_ address: String) -> String {
        if address.hasPrefix("0.0.0.0:") { return "127.0.0.1:" + address.dropFirst(8) }
        if address.hasPrefix("[::]:") { return "[::1]:" + address.dropFirst(5) }
        return address
    }

    // MARK: The file

    private init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONValue.parse(bytes))?.object, let url = object["url"]?.string,
            let token = object["token"]?.string, let process = object["process"]?.integer.flatMap(Int32.init(exactly:))
        else { return nil }
        self.url = url
        self.token = token
        self.process = process
        unixPath = object["unix"]?.string
    }

    /// Writes the file, whole or not at all, for its owner alone.
    func write(to folder: String) throws {
        var object = JSONObject([
            ("url", .string(url)), ("token", .string(token)), ("process", .integer(Int64(process))),
        ])
        if let unixPath { object["unix"] = .string(unixPath) }
        try DataFolder.writeDurably(
            JSONValue.object(object).bytes, to: Self.path(in: folder), in: folder)
    }

    /// Takes the file away: at a clean stop, and at the start what a process has left that was killed.
    static func remove(from folder: String) {
        unlink(path(in: folder))
    }

    /// The channel to the server that runs on a data folder; `nil` if none does. What a killed process has left is told by
    /// the folder's lock, which goes with its holder, and by its number.
    static func find(in folder: String) throws(DataFolder.Problem) -> OperatorChannel? {
        guard let bytes = try DataFolder.read(path(in: folder)), let channel = OperatorChannel(bytes),
            DataFolder.isInUse(folder), kill(channel.process, 0) == 0 || errno == EPERM
        else { return nil }
        return channel
    }
}
