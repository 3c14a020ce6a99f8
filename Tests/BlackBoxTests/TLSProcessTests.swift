import Foundation
import TestSupport
import Testing

/// TLS by the real binary, with OpenSSL's and curl's clients.
@Suite struct TLSProcessTests {
    /// A server with the certificate of the tests, and the files of it.
    private final class World {
        let directory: String
        let server: ServerProcess

        init(_ settings: [String: String] = [:], certificate: String = TestCertificates.certificate) throws {
            directory = NSTemporaryDirectory() + "fogbase-tls-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            var settings = settings
            settings["FOGBASE_TLS_CERTIFICATE"] = directory + "/c.pem"
            settings["FOGBASE_TLS_KEY"] = directory + "/k.pem"
            try TestCertificates.authority.write(toFile: directory + "/ca.pem", atomically: true, encoding: .utf8)
            try Self.write(certificate, TestCertificates.key, to: directory)
            server = try ServerProcess(settings: settings)
        }

        deinit {
            server.kill()
            try? FileManager.default.removeItem(atPath: directory)
        }

        static func write(_ certificate: String, _ key: String, to directory: String) throws {
            try certificate.write(toFile: directory + "/c.pem", atomically: true, encoding: .utf8)
            try key.write(toFile: directory + "/k.pem", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory + "/k.pem")
        }

        private static let start = """
            exec 2>&1; set +e +o pipefail; trap '' PIPE
            fetch() { curl -sS --cacert $DIR/ca.pem "$@"; }

            """

        /// Runs shell lines with `URL`, `PORT` and `DIR`, and returns what they print, errors too.
        func run(_ script: String) throws -> String {
            try Shell.run(
                [Self.start + script],
                port: server.port,
                variables: [
                    "URL": "https://localhost:\(server.port)", "PORT": "\(server.port)", "DIR": directory,
                    "TOKEN": ServerProcess.administratorToken,
                ]
            ).text.replacingOccurrences(of: "\r", with: "")
        }

        /// The serial number of the certificate that a new client gets.
        var serial: String {
            get throws {
                try run("echo | openssl s_client -connect localhost:$PORT 2>&1 | openssl x509 -noout -serial")
            }
        }
    }

    @Test func `curl verifies the certificate, saves, uploads and downloads`() throws {
        let world = try World(["FOGBASE_TLS_HSTS": "30d"])
        let text = try world.run(
            """
            fetch -i -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
                -d '{"fields":{"title":"hello"}}' $URL/records/Post
            head -c 3000000 /dev/urandom > big
            ASSET=$(fetch -H "Authorization: Bearer $TOKEN" --data-binary @big $URL/assets)
            fetch -o copy "$URL$(echo "$ASSET" | sed 's/.*"downloadURL":"\\([^"]*\\)".*/\\1/')"
            echo; cmp big copy && echo same
            """)
        #expect(
            text.contains("HTTP/1.1 201") && text.contains("\nStrict-Transport-Security: max-age=2592000\n"), "\(text)")
        #expect(text.contains("\nsame\n"), "\(text)")
    }

    @Test func `only TLS 1.2 and 1.3 and http/1.1 are spoken, and sessions are resumed`() throws {
        let world = try World()
        let text = try world.run(
            """
            s() { printf 'GET /health/live HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' |
                openssl s_client -ign_eof -connect localhost:$PORT "$@" 2>&1; }
            hello() { openssl s_client -connect localhost:$PORT "$@" < /dev/null 2>&1; }
            for version in -tls1_2 -tls1_3; do
                s $version -sess_out session | grep -E '^(New|Reused|HTTP)'
                s $version -sess_in session | grep -E '^(New|Reused|HTTP)'
            done
            hello -tls1_1 -cipher DEFAULT@SECLEVEL=0 | grep -o 'alert protocol version'
            hello -alpn h2 | grep -o 'alert no application protocol'
            hello -alpn h2,http/1.1 | grep 'ALPN protocol'
            hello -tls1_2 -cipher AES128-SHA | grep -o 'alert handshake failure'
            printf 'R\\n' | openssl s_client -tls1_2 -connect localhost:$PORT 2>&1 | grep -o 'no renegotiation'
            """)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("New, TLSv1.2") }.count == 1, "\(text)")
        #expect(lines.filter { $0.hasPrefix("Reused, TLSv1.2") }.count == 1, "\(text)")
        #expect(lines.filter { $0.hasPrefix("New, TLSv1.3") }.count == 1, "\(text)")
        #expect(lines.filter { $0.hasPrefix("Reused, TLSv1.3") }.count == 1, "\(text)")
        #expect(lines.filter { $0.hasPrefix("HTTP/1.1 200") }.count == 4, "\(text)")
        for line in [
            "alert protocol version", "alert no application protocol", "ALPN protocol: http/1.1",
            "alert handshake failure", "no renegotiation",
        ] {
            #expect(lines.contains(line), "\(line): \(text)")
        }
    }

    @Test func `a close is announced by an alert, and a flood of key updates ends the connection`() throws {
        let world = try World()
        let text = try world.run(
            """
            printf 'GET /health/live HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' |
                openssl s_client -quiet -connect localhost:$PORT 2>&1 | grep -cE 'HTTP/1.1 200|unexpected eof'
            updates() {
                rm -f input; mkfifo input; : > output
                openssl s_client -tls1_3 -connect localhost:$PORT < input > output 2>&1 & client=$!
                exec 3> input
                printf 'GET /health/live HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3
                until grep -q 'HTTP/1.1 200' output || ! kill -0 $client 2> /dev/null; do :; done
                # Each line is a command when it is read alone.
                for number in $(seq $1); do
                    echo k >&3 2> /dev/null
                    until [ $(grep -c KEYUPDATE output) = $number ]; do kill -0 $client 2> /dev/null || break 2; done
                done
                printf 'GET /health/ready HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&3 2> /dev/null
                # The client ends by the server's alert: at the end of its input it would not wait for the answer.
                wait $client
                exec 3>&-
                grep -c 'HTTP/1.1 200' output
            }
            updates 30
            updates 40
            """)
        #expect(text.hasPrefix("1\n2\n1\n"), "\(text)")
    }

    @Test func `the operator's commands and the health check reach the server`() throws {
        let world = try World()
        let shell = OperatorShell(world.server)
        #expect(try shell.run("users add ada", input: "correct horse\\n").status == 0)
        #expect(try shell.run("users list").out.contains("ada"))
        let tls = ["FOGBASE_TLS_CERTIFICATE": "x", "FOGBASE_TLS_KEY": "y"]
        let health = "health --port \(world.server.port)"
        #expect(try shell.run(health, environment: tls, takesData: false).out == "ready\n")
        let plain = try shell.run(health, takesData: false)
        #expect(plain.status == 1 && plain.errors.contains("This port speaks HTTPS"), "\(plain)")
        let other = try ServerProcess()
        let wrong = try shell.run("health --port \(other.port)", environment: tls, takesData: false)
        #expect(wrong.status == 1 && wrong.errors.contains("does not speak TLS"), "\(wrong)")
    }

    @Test func `URLs and cookies say https`() throws {
        let world = try World(["FOGBASE_PUBLIC_PATH": "Public"])
        let text = try world.run(
            """
            fetch -i -X POST -H 'X-Fogbase-Console: 1' -H 'Content-Type: application/json' -H "Origin: $URL" \
                -d "{\\"token\\":\\"$TOKEN\\"}" $URL/_/session | grep -i set-cookie
            """)
        #expect(text.contains("__Host-fogbase=") && text.contains("; Secure"), "\(text)")
    }

    @Test func `plain HTTP is redirected, and told so on the port of HTTPS`() throws {
        let port = try Nginx.freePort()
        let world = try World(["FOGBASE_TLS_REDIRECT_PORT": "\(port)"])
        let text = try world.run(
            """
            fetch -L -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' --location-trusted \
                -d '{"fields":{"title":"sent on"}}' http://localhost:\(port)/records/Post; echo
            fetch http://localhost:$PORT/; echo
            fetch -o /dev/null -w '%{http_code}\\n' http://localhost:\(port)/health/live
            """)
        #expect(
            text.contains("sent on") && text.contains("This port speaks HTTPS") && text.contains("\n308\n"), "\(text)")
        #expect(world.server.terminate() == 0)
    }

    @Test func `SIGHUP loads the certificate again, and keeps it if the new one is bad`() async throws {
        let world = try World()
        let first = try world.serial
        // The new certificate is there and its key is not.
        try World.write(TestCertificates.otherCertificate, TestCertificates.key, to: world.directory)
        kill(world.server.pid, SIGHUP)
        try World.write("", "", to: world.directory)
        for _ in 0..<3 { kill(world.server.pid, SIGHUP) }
        #expect(try world.serial == first)
        try World.write(TestCertificates.otherCertificate, TestCertificates.otherKey, to: world.directory)
        kill(world.server.pid, SIGHUP)
        #expect(try await eventually { try world.serial != first })
        #expect(world.server.terminate() == 0)
    }

    @Test func `a certificate that cannot be used ends the start with its reason`() throws {
        let world = try World()
        for (arguments, says) in [
            (
                ["--tls-certificate", "\(world.directory)/none", "--tls-key", "\(world.directory)/k.pem"],
                "does not exist"
            ),
            (["--tls-certificate", "\(world.directory)/c.pem"], "tls.key is not"),
            (
                ["--tls-certificate", "\(world.directory)/ca.pem", "--tls-key", "\(world.directory)/k.pem"],
                "does not belong to the first certificate"
            ),
        ] {
            let run = try Command.run(["serve", "--port", "0", "--data", world.directory + "/data"] + arguments)
            #expect([64, 78].contains(run.status) && run.text.contains(says), "\(run)")
        }
    }
}
