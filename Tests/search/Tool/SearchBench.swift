import Glibc
import TextSearch

/// Answers searches of a corpus with the module `TextSearch` alone, for `Tests.search`.
///
///     searchbench CORPUS QUERIES     prints a JSON object per query: hits, the ten best with their scores
///     searchbench --speed CORPUS     prints the throughput of the cutting
///
/// Both files have a text per line. A document's number is that of its line, from 0.
@main
struct SearchBench {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let first = arguments.first, let last = arguments.last else {
            print("usage: searchbench CORPUS QUERIES | --speed CORPUS")
            exit(2)
        }
        if first == "--speed" {
            printSpeed(of: lines(of: last))
        } else {
            answer(lines(of: last), in: lines(of: first))
        }
    }

    static func lines(of path: String) -> [[UInt8]] {
        guard let file = fopen(path, "r") else {
            perror(path)
            exit(1)
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map { Array($0) }
    }

    static func answer(_ queries: [[UInt8]], in documents: [[UInt8]]) {
        let lengths = documents.map { document in
            var count = 0
            TextToken.forEach(of: document) { _, _, _ in count += 1 }
            return count
        }
        let ranking = BM25(
            documentCount: documents.count, weights: [1],
            averageLengths: [Double(lengths.reduce(0, +)) / Double(max(documents.count, 1))])
        for query in queries {
            guard let search = try? SearchText(query, mode: .all) else {
                print("null")
                continue
            }
            var frequencies: [[Int]] = []
            var hits: [Int] = []
            var counts = [Int](repeating: 0, count: search.words.count)
            for (number, document) in documents.enumerated() {
                var matcher = SearchMatcher(search)
                matcher.add(document)
                let found = counts.indices.map { matcher.frequency(ofWord: $0) }
                for (word, frequency) in found.enumerated() where frequency > 0 { counts[word] += 1 }
                if matcher.isMatch {
                    hits.append(number)
                    frequencies.append(found)
                }
            }
            let idf = counts.map { ranking.idf(recordsWithWord: $0) }
            let scores = zip(hits, frequencies).map { hit, found in
                zip(idf, found).reduce(0.0) { sum, word in
                    let payload = PostingPayload(frequencies: [word.1], lengths: [lengths[hit]])
                    return sum + ranking.score(idf: word.0, payload)
                }
            }
            let best = hits.indices.sorted { (-scores[$0], hits[$0]) < (-scores[$1], hits[$1]) }.prefix(10)
            print(#"{"hits":\#(hits),"top":\#(best.map { hits[$0] }),"scores":\#(best.map { scores[$0] })}"#)
        }
    }

    static func printSpeed(of documents: [[UInt8]]) {
        let size = documents.reduce(0) { $0 + $1.count }
        var tokens = 0
        var terms = 0
        let cutting = best {
            tokens = 0
            for document in documents { TextToken.forEach(of: document) { _, _, _ in tokens += 1 } }
        }
        let postings = best {
            terms = 0
            for document in documents {
                var index = IndexTerms()
                index.add(document)
                terms += index.postings.count
            }
        }
        let matching = best {
            guard let search = try? SearchText("library 図書 データベース", mode: .all) else { return }
            for document in documents { _ = search.matches([document]) }
        }
        print(
            #"{"documents":\#(documents.count),"bytes":\#(size),"tokens":\#(tokens),"postings":\#(terms),"#
                + #""cutMBps":\#(size / cutting),"postingsMBps":\#(size / postings),"matchMBps":\#(size / matching)}"#)
    }

    /// Returns the shortest processor time of five, in microseconds.
    static func best(_ body: () -> Void) -> Int {
        let times = (0..<5).map { _ in
            let start = clock()
            body()
            // CLOCKS_PER_SEC is a million on every POSIX system.
            return Int(clock() - start)
        }
        return max(1, times.min() ?? 1)
    }
}
