import Foundation
import RecordWire
import TestSupport
import Testing

/// `fogbase import` and `fogbase export` beside a server.
@Suite struct TransferCommandTests {
    /// A file in a directory of its own.
    private final class TextFile {
        let path: String

        init(_ name: String, _ text: String = "") throws {
            let directory = NSTemporaryDirectory() + "fogbase-transfer-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            path = directory + "/" + name
            if !text.isEmpty { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        }

        var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

        deinit { try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent) }
    }

    @Test func `the commands of the manual import and export`() throws {
        let page = "Sources/fogbase/fogbase.docc/ImportingAndExporting.md"
        let blocks = try Shell.blocks(of: page)
        let server = try ServerProcess()
        let directory = NSTemporaryDirectory() + "fogbase-path-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.createSymbolicLink(
            atPath: directory + "/fogbase", withDestinationPath: ServerProcess.binary)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let run = try Shell.run(
            blocks + ["cat goods-export.csv", "cat posts-export.jsonl", "cat upload.json"], port: server.port,
            variables: [
                "PATH": directory + ":" + path, "FOGBASE_DATA_PATH": server.data,
                "SERVER": "http://127.0.0.1:\(server.port)", "TOKEN": ServerProcess.administratorToken,
            ])
        try #require(run.status == 0 && blocks.count == 5, "\(run.text)")
        #expect(run.responses[0].contains("Tea, green") && run.responses[0].contains("DOUBLE"), "\(run.responses[0])")
        #expect(run.responses[5].contains(#""Tea, green",2.5,2026-11-01T00:00:00"#), "\(run.responses[5])")
        let posts = run.responses[6].split(separator: "\n")
        #expect(posts.count == 1 && posts[0].contains(#""likes":{"value":3,"type":"INT64"}"#), "\(run.responses[6])")
        #expect(run.responses[7].contains("receipt"), "\(run.responses[7])")
    }

    @Test func `an import tells which rows were rejected, and its exit code is 1`() throws {
        let shell = OperatorShell(try ServerProcess())
        let file = try TextFile("goods.csv", "name,price\nTea,2\nCoffee,much\nMilk,1\n")
        let report = try TextFile("report.jsonl")
        let mapping = try TextFile(
            "mapping.json",
            #"""
            {"recordType":"Goods","columns":[{"column":"name","field":"title","type":"STRING"},
            {"column":"price","field":"price","type":"INT64"}]}
            """#)
        let run = try shell.run("import \(file.path) --mapping \(mapping.path) --report \(report.path)")
        #expect(run.status == 1 && run.out.contains("succeeded: 100 %, 2 of 3, 1 skipped"), "\(run)")
        let row = try JSONValue.parse(Array(report.text.utf8.dropLast()))
        #expect(row["line"]?.integer == 3 && row["details"]?["column"] == "price", "\(report.text)")
        let shown = try shell.run("import \(file.path) --mapping \(mapping.path) --dry-run")
        #expect(shown.errors.contains("\(file.path):3: Column 'price' in line 3 has 'much'"), "\(shown)")
        let tsv = try shell.run("export Goods --format tsv --fields title,price --sort title")
        #expect(tsv.status == 0, "\(tsv)")
        let lines = tsv.out.split(separator: "\n").map { $0.split(separator: "\t").dropFirst().joined(separator: " ") }
        #expect(lines == ["title price", "Milk 1", "Tea 2"], "\(tsv.out)")
    }

    @Test func `a container moves to another server, and so does an export of NCMB`() throws {
        let source = OperatorShell(try ServerProcess())
        let user = try TextFile(
            "user.json", #"{"results":[{"objectId":"U1","userName":"taro","createDate":"2020-01-02T03:04:05.678Z"}]}"#)
        let items = try TextFile(
            "Item.json",
            #"""
            [{"objectId":"I1","price":120,"owner":{"__type":"Pointer","className":"user","objectId":"U1"},
            "acl":{"U1":{"read":true,"write":true}},"createDate":"2021-01-02T03:04:05.678Z"}]
            """#)
        let converted = try source.run("import ncmb \(user.path) \(items.path)")
        #expect(converted.status == 0 && converted.out.contains("succeeded"), "\(converted)")
        let file = try TextFile("all.fogbase")
        let export = try source.run("export --output \(file.path)")
        #expect(export.status == 0, "\(export)")
        #expect(file.text.contains(#""acl":{"_"#) && file.text.contains(#""name":"taro""#), "\(file.text)")
        let target = OperatorShell(try ServerProcess())
        let preview = try target.run("import \(file.path) --preview")
        #expect(preview.out.contains(#""records": 2"#) || preview.out.contains(#""records":2"#), "\(preview)")
        let checked = try target.run("import \(file.path) --dry-run")
        #expect(checked.status == 0, "\(checked)")
        let imported = try target.run("import \(file.path)")
        #expect(imported.status == 0 && imported.out.contains("succeeded"), "\(imported)")
        let again = try target.run("export")
        let (before, after) = (
            file.text.split(separator: "\n").dropFirst(), again.out.split(separator: "\n").dropFirst()
        )
        #expect(after.elementsEqual(before), "\(again)")
        // What is there already is rejected, unless it is to be skipped.
        #expect(try target.run("import \(file.path)").status == 1)
        #expect(try target.run("import \(file.path) --existing skip").status == 0)
        let mixed = try target.run("import \(file.path) --type Item")
        #expect(mixed.errors.contains("--type is for records of one type"), "\(mixed)")
        #expect(try target.run("export --output x.csv").errors.contains("has the records of one TYPE"))
        #expect(try target.run("export --where likes").errors.contains("Without a TYPE"))
    }

    @Test func `the standard input is imported like a file`() throws {
        let server = try ServerProcess()
        let file = try TextFile("goods.csv", "name,price\nTea,2\nCoffee,much\n")
        let mapping = try TextFile(
            "mapping.json",
            #"""
            {"recordType":"Goods","columns":[{"column":"name","field":"title","type":"STRING"},
            {"column":"price","field":"price","type":"INT64"}]}
            """#)
        let command = "'\(ServerProcess.binary)' import - --data '\(server.data)' --mapping '\(mapping.path)'"
        // Not a file, so that nothing can be read twice.
        let run = try Shell.run(
            [
                "gzip '\(file.path)'", "gunzip -c '\(file.path).gz' | \(command) --format csv 2>&1 || echo failed $?",
                ": | \(command) --format csv 2>&1 || echo failed $?", ": | \(command) 2>&1 || echo failed $?",
                "yes | '\(ServerProcess.binary)' import - --data '\(server.data)' --format csv 2>&1 || echo failed $?",
            ], port: server.port)
        try #require(run.status == 0, "\(run.text)")
        #expect(run.responses[1].contains("succeeded: 100 %, 1 of 2, 1 skipped"), "\(run.responses[1])")
        #expect(run.responses[1].contains("stdin:3: ") && run.responses[1].contains("failed 1"), "\(run.responses[1])")
        #expect(run.responses[2].contains("The standard input is empty."), "\(run.responses[2])")
        #expect(run.responses[3].contains("has no name. Add --format csv"), "\(run.responses[3])")
        #expect(run.responses[4].contains("The types of the columns are guessed."), "\(run.responses[4])")
    }

    @Test(arguments: [
        ("import FILE.txt", "types of the columns are guessed"), ("import FILE.txt --format xml", "--format is 'xml'"),
        ("import FILE.txt --separator ;;", "one character"), ("import FILE.txt --existing keep", "reject, skip"),
        ("import FILE.txt --zone z", "add --owner"), ("import FILE.gone", "does not say what the file is"),
        ("import FILE.csv", "cannot be read"), ("import FILE.txt --mapping FILE.none", "There is no file"),
        ("export Goods --format xls", "--format is 'xls'"),
        ("export Nothing --output /nowhere/x.csv", "cannot be written"),
    ])
    func `a mistake on the command line is explained`(line: String, sentence: String) throws {
        let shell = OperatorShell(try ServerProcess())
        let file = try TextFile("goods.txt", "name,price\nTea,2\n")
        let run = try shell.run(
            line.replacing("FILE.txt", with: file.path + (line.contains("--type") ? "" : " --type Goods")))
        #expect(run.status != 0 && run.errors.contains(sentence), "\(run)")
    }

    @Test func `without a server, the commands say how to start one`() throws {
        let server = try ServerProcess()
        #expect(server.terminate() == 0)
        let shell = OperatorShell(server)
        let file = try TextFile("a.jsonl", "{}")
        for line in ["import \(file.path)", "export Goods"] {
            let run = try shell.run(line)
            #expect(run.status == 1 && run.errors.contains("fogbase serve"), "\(run)")
        }
    }
}
