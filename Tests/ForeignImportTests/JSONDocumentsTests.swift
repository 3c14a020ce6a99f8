import Testing

@testable import ForeignImport

@Suite struct JSONDocumentsTests {
    private func read(_ bytes: [UInt8], mostBytes: Int = 1 << 20, chunkBytes: Int = 1 << 20) throws -> [String] {
        let folder = try Folder()
        try folder.write("file.json", bytes)
        var documents = try JSONDocuments(folder.path + "/file.json", mostBytes: mostBytes, chunkBytes: chunkBytes)
        var found: [String] = []
        while let document = try documents.next() {
            found.append(
                "\(document.line):" + (document.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long"))
        }
        return found
    }

    static let layouts: [(String, [String])] = [
        (#"{"a":1}"#, [#"1:{"a":1}"#]),
        ("{\"a\":1}\n{\"b\":\"}\\\"{\"}\r\n\n{\"c\":[{}]}\n", [#"1:{"a":1}"#, #"2:{"b":"}\"{"}"#, #"4:{"c":[{}]}"#]),
        ("[]", []),
        ("[{\"a\":1},\n {\"b\":[1,2]} ]\n", [#"1:{"a":1}"#, #"2:{"b":[1,2]}"#]),
        (#"{"results":[]}"#, []),
        (
            "{ \"results\" :\n[ {\"a\":{\"results\":[1]}},\n{\"b\":2}\n], \"count\":[2,\"]}\"] }\n",
            [#"2:{"a":{"results":[1]}}"#, #"3:{"b":2}"#]
        ),
        // An object that has a list, and is no frame.
        (#"{"results":1,"x":[{"a":1}]}"#, [#"1:{"results":1,"x":[{"a":1}]}"#]),
        (#"{"tags":[1]} {"results":[2]}"#, [#"1:{"tags":[1]}"#, #"1:{"results":[2]}"#]),
        ("\u{FEFF}[{\"a\":1}]", [#"1:{"a":1}"#]),
    ]

    @Test(arguments: layouts) func `lists, wrapped lists and lines are read alike, however the file is cut`(
        text: String, expected: [String]
    ) throws {
        for chunkBytes in [1 << 20, 1, 2, 3, 7, 64] {
            // The mark of the encoding is 3 bytes long, and files are read in larger pieces.
            if chunkBytes < 3, text.hasPrefix("\u{FEFF}") { continue }
            #expect(try read(Array(text.utf8), chunkBytes: chunkBytes) == expected)
        }
    }

    static let hostile: [([UInt8], Int, String)] = [
        ([], 1, "empty"), (Array(" \n\n".utf8), 3, "empty"), (Array("hello".utf8), 1, "no JSON"),
        (Array("\"text\"".utf8), 1, "no JSON"), (Array("[1,2]".utf8), 1, "An object"),
        (Array("[{}".utf8), 1, "ends inside a list"), (Array("[{}\n,".utf8), 2, "ends inside a list"),
        (Array("[{},\n{\"a\":\"x\n\n".utf8), 2, "ends inside the object"),
        (Array("{\"a\":{\n\n".utf8), 1, "ends inside the object"),
        (Array("[{} {}]".utf8), 1, "comma"), (Array("[{},,{}]".utf8), 1, "An object"),
        (Array("[{}] {}".utf8), 1, "follows"),
        (Array("[{}]]".utf8), 1, "follows"), (Array("{}\n,{}".utf8), 2, "beginning of an object"),
        (Array("{}\n[{}]".utf8), 2, "beginning of an object"),
        (Array("{\"results\":[{}".utf8), 1, "ends inside a list"),
        (Array("{\"results\":[{}],\"x\":\"".utf8), 1, "ends inside an object"),
        (Array("{\"results\":[{}]} x".utf8), 1, "follows"),
        (Array("}".utf8), 1, "no JSON"), (Array("]".utf8), 1, "no JSON"), ([0xFF, 0xFE, 0x7B, 0], 1, "UTF-16"),
        ([0xFE, 0xFF, 0, 0x7B], 1, "UTF-16"), ([0, 0x7B, 0, 0x7D], 1, "UTF-16"), ([0x50, 0x4B, 3, 4], 1, "no JSON"),
        (Array("{\"a\":1".utf8) + [0], 1, "ends inside the object"),
    ]

    @Test(arguments: hostile) func `a file that is no JSON, or cut off, is an error with its line`(
        bytes: [UInt8], line: Int, words: String
    ) throws {
        for chunkBytes in [1 << 20, 1, 5] {
            if chunkBytes == 1, words == "UTF-16" { continue }
            let error = #expect(throws: ConversionError.self) { try read(bytes, chunkBytes: chunkBytes) }
            #expect(error?.line == line)
            #expect(error?.reason.contains(words) == true, "\(error?.description ?? "no error")")
        }
    }

    @Test func `an object above the limit is skipped without being kept`() throws {
        let long = #"{"a":""# + String(repeating: "x", count: 5_000) + #""}"#
        #expect(
            try read(Array("[{\"b\":1},\n\(long),\n{\"c\":1}]".utf8), mostBytes: 1_000, chunkBytes: 100)
                == [#"1:{"b":1}"#, "2:too long", #"3:{"c":1}"#])
    }

    @Test func `a directory, a link to nothing and a pipe are errors, not hangs`() throws {
        let folder = try Folder()
        for path in [folder.path, folder.path + "/nothing", "/dev/null"] {
            #expect(throws: ConversionError.self) { _ = try JSONDocuments(path) }
        }
    }
}
