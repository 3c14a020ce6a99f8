import TestSupport
import Testing
import TextSearch

/// Scores and what an index stores for them.
@Suite struct RankingTests {
    @Test func `a length keeps four significant bits`() {
        for count in [0, 1, 39, 40] { #expect(FieldLength(count).count == count) }
        #expect((0..<40).allSatisfy { FieldLength($0).code == UInt8($0) })
        #expect(FieldLength(41).count == 40 && FieldLength(42).count == 42)
        var last: UInt8 = 0
        for count in (0..<100_000).map({ $0 * 7 }) + [Int(Int32.max), .max] {
            let length = FieldLength(count)
            #expect(length.code >= last && length.count <= count && FieldLength(length.count) == length)
            if count < 1 << 30 { #expect(length.count * 9 >= count * 8) }
            last = length.code
        }
        #expect(FieldLength(-1).count == 0 && last == 255)
        #expect((0...255).allSatisfy { FieldLength(FieldLength(code: UInt8($0)).count).code == UInt8($0) })
    }

    @Test func `a payload keeps the fields that have the term`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...4, using: &random)
            let frequencies = (0..<count).map { _ in max(0, Int.random(in: -20...80, using: &random)) }
            let lengths = (0..<count).map { _ in Int.random(in: 0...10_000, using: &random) }
            let payload = PostingPayload(
                rawValue: PostingPayload(frequencies: frequencies, lengths: lengths).rawValue)
            for field in 0..<count {
                #expect(payload.frequency(inField: field) == min(frequencies[field], 63))
                #expect(payload.length(ofField: field) == FieldLength(frequencies[field] > 0 ? lengths[field] : 0))
            }
            #expect(payload.rawValue >= 0 && payload.rawValue < 1 << 56)
        }
        let many = PostingPayload(frequencies: [40, 0, 0, 1], lengths: [100, 1, 1, 9])
        let merged = many.merged(with: PostingPayload(frequencies: [40, 2], lengths: [100, 5]))
        #expect(merged == PostingPayload(frequencies: [80, 2, 0, 1], lengths: [100, 5, 7, 9]))
        #expect(PostingPayload(frequencies: [63], lengths: [.max]).rawValue == 1 << 14 - 1)
        #expect(PostingPayload(frequencies: [1, 2, 3, 4, 5], lengths: [1, 1, 1, 1, 1]).frequency(inField: 3) == 4)
    }

    static func ranking(weights: [Double] = [1]) -> BM25 {
        BM25(documentCount: 1_000, weights: weights, averageLengths: weights.map { _ in 100 })
    }

    static func score(_ frequencies: [Int], _ lengths: [Int], weights: [Double] = [1], records: Int = 10) -> Double {
        let ranking = ranking(weights: weights)
        let payload = PostingPayload(frequencies: frequencies, lengths: lengths)
        return ranking.score(idf: ranking.idf(recordsWithWord: records), payload)
    }

    @Test func `a score is that of the formula`() {
        // ln(1 + 990.5 / 10.5) * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 52 / 100))
        #expect(abs(Self.score([3], [52]) - 7.982_671) < 0.000_001)
        #expect(Self.score([0], [100]) == 0)
        #expect(Self.score([1], [100], weights: [-1]) == 0)
    }

    @Test func `a score rises with the frequency, the weight and the rareness, and falls with the length`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            let (frequency, length) = (
                Int.random(in: 1..<63, using: &random), Int.random(in: 1...5_000, using: &random)
            )
            let records = Int.random(in: 1..<1_000, using: &random)
            let weight = Double.random(in: 0.5...10, using: &random)
            let score = Self.score([frequency, 1], [length, 50], weights: [weight, 1], records: records)
            #expect(score > 0)
            #expect(Self.score([frequency + 1, 1], [length, 50], weights: [weight, 1], records: records) > score)
            #expect(Self.score([frequency, 1], [length, 50], weights: [weight + 1, 1], records: records) > score)
            #expect(Self.score([frequency, 1], [length, 50], weights: [weight, 1], records: records + 1) < score)
            #expect(Self.score([frequency, 1], [length * 2, 50], weights: [weight, 1], records: records) < score)
            #expect(Self.score([frequency, 0], [length, 50], weights: [weight, 1], records: records) < score)
            let ranking = Self.ranking()
            #expect(score < ranking.maxScore(idf: ranking.idf(recordsWithWord: records)))
        }
    }

    @Test func `counts outside the index do not break a score`() {
        let ranking = BM25(documentCount: 0, weights: [1], averageLengths: [0])
        #expect(ranking.idf(recordsWithWord: 5) > 0 && ranking.idf(recordsWithWord: -1).isFinite)
        let payload = PostingPayload(frequencies: [1], lengths: [0])
        #expect(ranking.score(idf: 1, payload).isFinite)
    }

    @Test func `postings have each term once, sorted, with its frequencies`() {
        var terms = IndexTerms(fieldCount: 2)
        terms.add(Array("b a b".utf8), field: 0)
        terms.add(Array("東京 B".utf8), field: 1)
        terms.add(Array("c".utf8), field: 1)
        let postings = terms.postings.map {
            "\(String(decoding: $0.term, as: UTF8.self)) \($0.payload.frequency(inField: 0)) \($0.payload.frequency(inField: 1)) "
                + "\($0.payload.length(ofField: 0).count) \($0.payload.length(ofField: 1).count)"
        }
        #expect(postings == ["a 1 0 3 0", "b 2 1 3 4", "c 0 1 0 4", "京 0 1 0 4", "東京 0 1 0 4"])
        #expect(terms.lengths == [3, 4])
    }

    @Test func `postings of random texts are the counted tokens in the order of their bytes`() {
        var random = SeededGenerator(seed: 13)
        for seed in 0..<2_000 as Range<UInt64> {
            // Words around eight bytes, of which some are the beginnings of others.
            let words = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                String("abcdefghabcdefgh".prefix(Int.random(in: 1...16, using: &random)))
                    + (Bool.random(using: &random) ? "" : "b")
            }
            let text = Array((RandomTexts.any(seed: seed) + " " + words.joined(separator: " ")).utf8)
            var terms = IndexTerms()
            terms.add(text)
            var counts: [[UInt8]: Int] = [:]
            for token in TextToken.tokens(of: text) { counts[token.term, default: 0] += 1 }
            let sorted = counts.keys.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(terms.postings.map(\.term) == sorted)
            #expect(terms.postings.map { $0.payload.frequency(inField: 0) } == sorted.map { counts[$0] })
        }
    }
}
