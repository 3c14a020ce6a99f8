import FuzzTargets
import HTTP
import Testing

@Suite struct TranscriptTests {
    @Test func `the transcripts are found`() {
        #expect(Transcript.all.count > 100)
        #expect(Set(Transcript.all.map(\.testDescription)).count == Transcript.all.count)
    }

    @Test(arguments: Transcript.all)
    func `bytes have the outcome that the transcript names`(_ transcript: Transcript) throws {
        switch transcript.kind {
        case .request:
            let verdict = Feed.verdict(transcript.bytes)
            #expect(verdict.words == transcript.outcome.first)
            for fact in transcript.outcome.dropFirst() {
                let colon = try #require(fact.firstIndex(of: ":"))
                let key = String(fact[..<colon])
                #expect("\(key): \(verdict.fact(key))" == fact)
            }
        case .chunked:
            #expect(Feed.chunked(transcript.bytes) == transcript.outcome)
        }
    }

    /// Every split in two, and byte by byte. Long examples are cut near their ends and at some places between.
    @Test(arguments: Transcript.all)
    func `the outcome does not depend on how the bytes are cut`(_ transcript: Transcript) {
        let count = transcript.bytes.count
        let cuts =
            count < 1500 ? Array(0..<count) : Array(stride(from: 0, to: count, by: 61)) + Array(count - 20..<count)
        switch transcript.kind {
        case .request:
            let whole = Feed.verdict(transcript.bytes).allWords
            for cut in cuts {
                #expect(Feed.verdict(transcript.bytes, cuts: [cut]).allWords == whole, "cut at \(cut)")
            }
            #expect(Feed.verdict(transcript.bytes, cuts: 0..<count).allWords == whole)
        case .chunked:
            let whole = Feed.chunked(transcript.bytes)
            for cut in cuts { #expect(Feed.chunked(transcript.bytes, cuts: [cut]) == whole, "cut at \(cut)") }
            #expect(Feed.chunked(transcript.bytes, cuts: 1..<max(count, 1)) == whole)
        }
    }

    /// A prefix is incomplete, or has the verdict of the whole: no prefix of an accepted input is rejected, and no
    /// rejection is reverted.
    @Test(arguments: Transcript.all.filter { $0.kind == .request && $0.bytes.count < 1500 })
    func `a truncated request is incomplete or judged alike`(_ transcript: Transcript) {
        let whole = Feed.verdict(transcript.bytes).allWords
        for end in transcript.bytes.indices {
            let words = Feed.verdict(Array(transcript.bytes[..<end])).allWords
            #expect(words == "incomplete" || words == whole, "truncated to \(end) bytes")
        }
    }
}
