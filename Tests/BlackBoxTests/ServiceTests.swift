import Foundation
import Testing

/// The installations and upgrades of the pages for operators, in a directory that replaces the machine's root.
@Suite struct ServiceTests {
    private static let securing = "Sources/fogbase/fogbase.docc/Securing.md"
    private static let operating = "Sources/fogbase/fogbase.docc/Operating.md"

    @Test func `the service is installed by the printed commands, also a second time`() throws {
        let machine = try Machine()
        let install = try Self.block("useradd", of: Self.securing)
        for _ in 1...2 {
            let run = try machine.run([install])
            #expect(run.status == 0, "\(run.text)")
            for file in ["bin/fogbase", "share/fogbase/public/index.html"] {
                #expect(machine.has("usr/local/" + file), "\(file)")
            }
            for file in ["public/Public", "public/public", "public/examples"] {
                #expect(!machine.has("usr/local/share/fogbase/" + file), "\(file)")
            }
            #expect(machine.has("etc/systemd/system/fogbase.service") && machine.has("etc/fogbase.conf"))
        }
        let log = try machine.text("calls")
        #expect(log.components(separatedBy: "useradd --system").count == 2, "\(log)")
        #expect(log.components(separatedBy: "systemctl restart fogbase").count == 3, "\(log)")
        #expect(machine.has("sources/Public/examples"), "The sources keep them")
    }

    @Test func `a backup is downloaded by the printed commands, also a second time`() throws {
        let blocks = try Shell.blocks(of: Self.operating).filter { $0.contains("/backup/archive/file") }
        try #require(blocks.count == 1)
        let server = try ServerProcess()
        let run = try Shell.run(blocks + blocks + ["ls -l fogbase-*.tar"], port: server.port)
        #expect(run.status == 0, "\(run.text)")
        for response in run.responses.prefix(2) {
            #expect(response.contains(#""state":"done""#), "\(response)")
            #expect(response.split(separator: "\n").last?.hasPrefix("fogbase-") == true, "\(response)")
        }
        #expect(run.responses.last?.hasPrefix("-rw-------") == true, "It has all secrets: \(run.text)")
    }

    @Test func `the nginx site is configured for the domain, also when repeated`() throws {
        let machine = try Machine()
        let site = try Self.block("nginx -t", of: Self.securing)
        let run = try machine.run(["DOMAIN=fog.example.net", site, site])
        #expect(run.status == 0, "\(run.text)")
        let text = try machine.text("etc/nginx/conf.d/fogbase.conf")
        #expect(text.contains("server_name fog.example.net;") && text.contains("/live/fog.example.net/fullchain.pem"))
        #expect(!text.contains("db.example.org") && text.contains("$proxy_add_x_forwarded_for"))
    }

    @Test func `an upgrade, run once or twice, can be undone by a downgrade`() throws {
        let machine = try Machine()
        try machine.write("#!/bin/sh\necho old\n", to: "usr/local/bin/fogbase")
        try machine.write("old", to: "var/lib/fogbase/records")
        let upgrade = try Self.block("make build", of: Self.operating)
        let look = "cat /usr/local/bin/fogbase.before-upgrade /var/lib/fogbase.before-upgrade/records"
        for _ in 1...2 {
            let run = try machine.run([upgrade, "echo new > /var/lib/fogbase/records", look])
            #expect(run.status == 0, "\(run.text)")
            #expect(run.responses.last?.hasSuffix("echo old\nold") == true, "\(run.text)")
            #expect(!machine.has("var/lib/fogbase.before-upgrade/fogbase"))
            #expect(!machine.has("usr/local/share/fogbase/public/examples"))
        }
        let downgrade = try Self.block("fogbase.newer-", of: Self.operating)
        let back = try machine.run([downgrade, "cat /var/lib/fogbase.newer-*/records", "fogbase"])
        #expect(back.status == 0, "\(back.text)")
        #expect(back.responses.suffix(2) == ["new", "old"])
        #expect(try machine.text("var/lib/fogbase/records") == "old")
        let forget = try Self.block("rm -rf /var/lib/fogbase.before-upgrade", of: Self.operating)
        #expect(try machine.run([forget, forget]).status == 0)
        #expect(!machine.has("var/lib/fogbase.before-upgrade"))
    }

    @Test func `the key for Prometheus reads the metrics, and is made once`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_METRICS_ACCESS": "administrators"])
        let machine = try Machine()
        try FileManager.default.createSymbolicLink(
            atPath: machine.path("usr/local/bin/fogbase"), withDestinationPath: ServerProcess.binary)
        try machine.write("[data]\npath = \(server.data)\n", to: "etc/fogbase.conf")
        let add = try Self.block("readMetrics", of: Self.operating)
        let run = try machine.run([add, add])
        #expect(run.status == 0, "\(run.text)")
        let token = try machine.text("etc/prometheus/fogbase.token").trimmingCharacters(in: .whitespacesAndNewlines)
        let client = try HTTPClient(port: server.port)
        #expect(try client.send("GET", "/metrics", token: token).status == 200)
        #expect(try client.send("GET", "/metrics").status == 401)
        #expect(try client.send("POST", "/records/Post", #"{"fields":{"a":1}}"#, token: token).status == 403)
    }

    /// The one block of commands for an administrator's shell that holds a text.
    private static func block(_ part: String, of page: String) throws -> String {
        let blocks = try Shell.blocks(of: page, language: "bash").filter { $0.contains(part) }
        try #require(blocks.count == 1, "\(part): \(blocks.count)")
        return blocks[0]
    }

    /// A directory that replaces `/`, and replacements for programs that change the machine or need root.
    private final class Machine {
        private let root: String

        init() throws {
            root = NSTemporaryDirectory() + "fogbase-machine-" + UUID().uuidString
            for directory in [
                "bin", "usr/local/bin", "etc/systemd/system", "etc/nginx/conf.d", "etc/prometheus", "var/lib",
                "sources/.build/release",
            ] {
                try FileManager.default.createDirectory(atPath: path(directory), withIntermediateDirectories: true)
            }
            let home = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().path
            // Copies: removals here must not affect the sources.
            for directory in ["Public", "docker"] {
                try FileManager.default.copyItem(atPath: home + "/" + directory, toPath: path("sources/" + directory))
            }
            try FileManager.default.createSymbolicLink(
                atPath: path("sources/.build/release/fogbase"), withDestinationPath: ServerProcess.binary)
            try Shell.blocks(of: ServiceTests.securing, language: "ini")[0]
                .write(toFile: path("sources/fogbase.conf"), atomically: true, encoding: .utf8)
            let note = "echo \"$(basename \"$0\") $*\" >> '\(root)/calls'"
            let programs = [
                "sudo": "if [ \"$1\" = -u ]; then shift 2; fi; exec \"$@\"",
                "useradd": "test ! -e '\(root)/user' && touch '\(root)/user' && \(note)",
                "id": "test -e '\(root)/user'", "systemctl": note, "make": note, "nginx": note,
                // There is no group of Prometheus here.
                "install":
                    "[ \"$3\" != -g ] || set -- \"$1\" \"$2\" \"$5\" \"$6\"; exec /usr/bin/install \"$@\"",
            ]
            for (name, script) in programs {
                try write("#!/bin/sh\n" + script + "\n", to: "bin/" + name)
            }
        }

        deinit {
            try? FileManager.default.removeItem(atPath: root)
        }

        func path(_ path: String) -> String { root + "/" + path }

        func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: self.path(path)) }

        func text(_ path: String) throws -> String { try String(contentsOfFile: self.path(path), encoding: .utf8) }

        /// Writes a program, or any other file.
        func write(_ text: String, to path: String) throws {
            let file = URL(fileURLWithPath: self.path(path))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }

        /// Runs blocks in the directory of the sources, with this machine's paths. Requests to a server are left out.
        func run(_ blocks: [String]) throws -> Shell.Run {
            let here = blocks.map { block in
                var block = block
                for directory in ["/usr/local/", "/etc/", "/var/lib/"] {
                    block = block.replacingOccurrences(of: directory, with: root + directory)
                }
                return block.split(separator: "\n", omittingEmptySubsequences: false)
                    .filter { !$0.contains("fogbase health") && !$0.contains("fogbase doctor") }
                    .joined(separator: "\n")
            }
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
            return try Shell.run(
                ["cd '\(root)/sources'"] + here, port: 1,
                variables: ["PATH": "\(root)/bin:\(root)/usr/local/bin:\(path)", "FOGBASE_ADMIN_TOKEN": ""])
        }
    }
}
