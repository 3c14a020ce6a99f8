import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Every input that `make fuzz` has ever found worth keeping, and random ones.
@Suite struct CorpusTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "fuzz/corpus")

    /// A line of a corpus is a name and base64.
    private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let text = try String(contentsOf: directory.appending(path: target.rawValue + ".txt"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            let data = try #require(words.count == 2 ? Data(base64Encoded: String(words[1])) : nil, "\(line)")
            return (String(words[0]), Array(data))
        }
    }

    @Test(arguments: FuzzTarget.allCases) func `inputs of past findings are handled`(_ target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs {
            let objection = target.objection(input.bytes)
            #expect(objection == nil, "\(input.name)")
        }
    }

    @Test(arguments: FuzzTarget.allCases) func `mutated inputs of past findings are handled`(
        _ target: FuzzTarget
    ) throws {
        var random = SeededGenerator(seed: 5)
        let inputs = try Self.inputs(of: target).map(\.bytes)
        for _ in 0..<2_000 {
            guard var bytes = inputs.randomElement(using: &random), let other = inputs.randomElement(using: &random)
            else { return }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1 where place < bytes.count: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: other.prefix(Int.random(in: 0...16, using: &random)), at: place)
                default: bytes.replaceSubrange(place..., with: other.suffix(Int.random(in: 0...64, using: &random)))
                }
            }
            let objection = target.objection(bytes)
            #expect(objection == nil, "\(bytes)")
        }
    }
}
