import FuzzTargets
import Foundation
import Pictures
import Testing

/// Files that libjpeg, libpng, libwebp, libheif and Pillow wrote. `Samples/make.py` says how.
@Suite struct SampleTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let picture: Picture

        var testDescription: String { name }

        /// The bytes of the file next to this one.
        var bytes: [UInt8] {
            get throws {
                let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
                return Array(try Data(contentsOf: directory.appending(path: name)))
            }
        }
    }

    /// All samples, as `Samples/samples.txt` lists them: name, format, width, height, orientation.
    static let all: [Sample] = {
        let list = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/samples.txt")
        let text = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 5, let format = Picture.Format(rawValue: words[1]), let width = Int(words[2]),
                let height = Int(words[3]), let orientation = Int(words[4])
            else { return nil }
            let picture = Picture(format: format, width: width, height: height, orientation: orientation)
            return Sample(name: words[0], picture: picture)
        }
    }()

    @Test func `every sample is listed`() throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path())
        let pictures = files.filter { !$0.hasSuffix(".py") && !$0.hasSuffix(".txt") }
        #expect(pictures.sorted() == Self.all.map(\.name).sorted())
        #expect(pictures.count >= 40)
    }

    @Test("A real file is read", arguments: SampleTests.all)
    func sample(_ sample: Sample) throws {
        let source = MeteredSource(try sample.bytes)
        #expect(source.header() == sample.picture)
        #expect(source.reads == 1)
    }

    @Test("A real file cut at any byte gives the right answer or none", arguments: SampleTests.all)
    func truncation(_ sample: Sample) throws {
        let bytes = try sample.bytes
        let wrong = bytes.indices.filter { count in
            let response = PictureHeader.read(Array(bytes.prefix(count)))
            return response != nil && response != sample.picture
        }
        #expect(wrong.isEmpty)
    }
}
