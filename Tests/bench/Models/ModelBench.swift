import FogbaseClient
import Foundation

/// A post as a forum has it.
@RecordCodable
struct Post: Codable, Equatable {
    var title: String
    var body: String
    var author: String
    var good: Int
    var rating: Double
    var posted: Date
    var tags: [String]
    var isPinned: Bool
    var editor: String?
}

/// Encodes and decodes one model again and again, with the client's models and with Foundation's JSON of the same struct in
/// turns, and prints the CPU time of the best turn: a line of JSON for each, in microseconds per record.
@main
struct ModelBench {
    static let post = Post(
        title: "Fog over the harbour", body: String(repeating: "The boats came in with the fog. ", count: 6),
        author: "_0f6d1c2b3a4958677685949392a1b0c9", good: 1_234, rating: 4.25,
        posted: Date(timeIntervalSince1970: 1_772_366_400.123), tags: ["sea", "walk", "dawn"], isPinned: false,
        editor: nil)

    static func main() throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
        let own = try respond(to: RecordJSON.encode(post))
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.millisecondsSince1970, .millisecondsSince1970)
        let plain = try encoder.encode(post)
        guard try RecordJSON.decode(Post.self, from: own).model == post,
            try decoder.decode(Post.self, from: plain) == post
        else { throw CocoaError(.coderInvalidValue) }
        let work: [(name: String, body: () throws -> Int)] = [
            ("model-encode", { try RecordJSON.encode(post).count }),
            ("model-encode-foundation", { try encoder.encode(post).count }),
            ("model-decode", { try RecordJSON.decode(Post.self, from: own).good }),
            ("model-decode-foundation", { try decoder.decode(Post.self, from: plain).good }),
        ]
        var best: [String: Double] = [:]
        for _ in 0..<5 {
            for (name, body) in work
            where CommandLine.arguments.dropFirst(2).isEmpty || CommandLine.arguments.contains(name) {
                let start = processorTime()
                var sum = 0
                for _ in 0..<(rounds / 5) { sum &+= try body() }
                let took = (processorTime() - start) / Double(rounds / 5) + (sum == 0 ? 1 : 0)
                best[name] = min(best[name] ?? .infinity, took)
            }
        }
        for (name, _) in work { print(#"{"name":"\#(name)","microseconds":\#((best[name] ?? 0).rounded(to: 3))}"#) }
    }

    /// The record as in a server's response.
    private static func respond(to write: Data) throws -> Data {
        let fields = String(decoding: write, as: UTF8.self).dropLast()
        let moment = #"{"timestamp":1772366400123,"userRecordName":"_0f6d1c2b3a4958677685949392a1b0c9","deviceID":"2"}"#
        return Data(
            (#"{"recordName":"019ca1b2-7e1f-7abc-8def-0123456789ab","recordType":"Post","#
                + fields.dropFirst() + #","pluginFields":{},"recordChangeTag":"1x9k2","created":\#(moment),"#
                + #""modified":\#(moment),"deleted":false}"#).utf8)
    }

    /// Microseconds that this process has used.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

extension Double {
    fileprivate func rounded(to digits: Int) -> Double {
        let scale = pow(10, Double(digits))
        return (self * scale).rounded() / scale
    }
}
