import RecordAPI
import Testing

@testable import fogbase

@Suite struct ConfigurationTests {
    private func load(
        file: String? = nil, flags: [String: String] = [:], environment: [String: String] = [:],
        files: [String: String] = [:]
    ) throws(Failure) -> Configuration {
        var files = files
        if let file { files["fogbase.conf"] = file }
        let all = files
        return try Configuration(
            file: file == nil ? nil : "fogbase.conf", flags: flags, environment: environment, read: { all[$0] })
    }

    private func problems(
        file: String? = nil, flags: [String: String] = [:], environment: [String: String] = [:],
        files: [String: String] = [:]
    ) -> [String] {
        do throws(Failure) {
            _ = try load(file: file, flags: flags, environment: environment, files: files)
            return []
        } catch {
            return error.sentences
        }
    }

    @Test func `without anything the defaults hold`() throws {
        let configuration = try load()
        #expect(configuration.settings.host == "127.0.0.1")
        #expect(configuration.settings.port == 8080)
        #expect(configuration.settings.dataPath == "./data")
        #expect(configuration.settings.requestContainer == "iCloud.fogbase.default")
        #expect(configuration.source(of: "server.port") == .standard)
    }

    @Test func `flags override the environment, and the environment overrides the file`() throws {
        let file = "server.port = 1001\n"
        let own = ["FOGBASE_SERVER_PORT": "1003"]
        let both = own.merging(["PORT": "1002"]) { first, _ in first }
        let fromFile = try load(file: file)
        #expect(fromFile.settings.port == 1001)
        #expect(fromFile.source(of: "server.port") == .file("fogbase.conf", line: 1))
        let fromPort = try load(file: file, environment: ["PORT": "1002"])
        #expect(fromPort.settings.port == 1002)
        #expect(fromPort.source(of: "server.port") == .environment("PORT"))
        #expect(try load(file: file, environment: both).settings.port == 1003)
        let fromFlag = try load(file: file, flags: ["server.port": "1004"], environment: both)
        #expect(fromFlag.settings.port == 1004)
        #expect(fromFlag.source(of: "server.port") == .flag("--port"))
    }

    @Test func `a variable that differs from the file is reported, without its value`() throws {
        let file = "server.port = 1001\n[data]\npath = /a\nenvironment = production\n"
        let all = try load(
            file: file,
            environment: [
                "FOGBASE_SERVER_PORT": "1003", "FOGBASE_DATA_PATH": "/a", "FOGBASE_DATA_ENVIRONMENT": "",
                "FOGBASE_SERVER_HOST": "::1",
            ])
        #expect(all.overrides == ["FOGBASE_SERVER_PORT overrides server.port of fogbase.conf, line 1"])
        #expect(try load(file: file, flags: ["server.port": "1004"]).overrides.isEmpty)
    }

    @Test func `an empty variable counts as absent`() throws {
        let environment = ["FOGBASE_SERVER_PORT": "", "FOGBASE_ADMIN_TOKEN": "", "FOGBASE_CONFIG": ""]
        #expect(try load(environment: environment).settings.port == 8080)
    }

    @Test func `a file may have sections, comments, quotes and lists`() throws {
        let file = """
            # first
            data.containers = iCloud.a, "iCloud.b"   # wrong: quotes belong around the whole
            """
        #expect(problems(file: file).count == 1)
        let settings = try load(
            file: """
                # A comment
                [server]
                port = 9000 # another
                host = "0.0.0.0"

                [data]
                containers = ["iCloud.a", "iCloud.b"]
                path = "/var/lib/with # and space"
                limits.body_bytes = 32MiB
                """
        ).settings
        #expect(settings.port == 9000)
        #expect(settings.host == "0.0.0.0")
        #expect(settings.containers == ["iCloud.a", "iCloud.b"])
        #expect(settings.dataPath == "/var/lib/with # and space")
        #expect(settings.bodyBytes == 32 << 20)
    }

    @Test func `a secret may be in a file that the environment or a flag names`() throws {
        let files = ["/run/secret": "0123456789abcdef0123\n"]
        let fromEnvironment = try load(environment: ["FOGBASE_ADMIN_TOKEN_FILE": "/run/secret"], files: files)
        #expect(fromEnvironment.settings.adminToken == "0123456789abcdef0123")
        #expect(fromEnvironment.source(of: "admin.token") == .environment("FOGBASE_ADMIN_TOKEN_FILE"))
        let fromFlag = try load(flags: ["admin.token": "/run/secret"], files: files)
        #expect(fromFlag.settings.adminToken == "0123456789abcdef0123")
        #expect(fromFlag.source(of: "admin.token") == .flag("--admin-token-file"))
    }

    @Test func `a secret is hidden when the configuration is printed`() throws {
        let token = "0123456789abcdef0123"
        let lines = try load(environment: ["FOGBASE_ADMIN_TOKEN": token]).listing
        #expect(!lines.contains { $0.contains(token) })
        #expect(
            lines.contains {
                $0.hasPrefix("admin.token = ********") && $0.hasSuffix("# environment FOGBASE_ADMIN_TOKEN")
            })
    }

    @Test func `the printed text is an equivalent configuration file`() throws {
        let configuration = try load(flags: ["server.port": "9", "data.containers": "iCloud.a,iCloud.b"])
        let again = try load(file: configuration.listing.joined(separator: "\n"))
        #expect(again.settings.port == 9)
        #expect(again.settings.containers == ["iCloud.a", "iCloud.b"])
        #expect(
            again.listing.map { $0.split(separator: "#")[0] }
                == configuration.listing.map { $0.split(separator: "#")[0] })
    }

    struct Mistake: CustomTestStringConvertible {
        var name: String
        var file: String?
        var environment: [String: String] = [:]
        var flags: [String: String] = [:]
        /// Parts of the sentence that reports it.
        var says: [String]
        var lacks: [String] = []

        var testDescription: String { name }
    }

    static let mistakes: [Mistake] = [
        Mistake(
            name: "unknown key in a file", file: "# x\nserver.prot = 1\n",
            says: ["fogbase.conf:2", "'server.prot'", "Did you mean server.port?"]),
        Mistake(
            name: "key of a section that does not exist", file: "[sever]\nport = 1\n",
            says: ["fogbase.conf:2", "'sever.port'", "server.port"]),
        Mistake(
            name: "line without equals sign", file: "server.port 80\n", says: ["fogbase.conf:1", "section.key = value"]),
        Mistake(name: "section without bracket", file: "[server\n", says: ["fogbase.conf:1", "[name]"]),
        Mistake(
            name: "quotation mark without partner", file: "data.path = \"x\n", says: ["fogbase.conf:1", "quotation"]),
        Mistake(
            name: "key given twice", file: "server.port = 1\nserver.port = 2\n", says: ["fogbase.conf:2", "line 1"]),
        Mistake(
            name: "bad value in a file", file: "\nlimits.body_bytes = 16M\n",
            says: ["fogbase.conf:2", "limits.body_bytes", "'16M'", "16MiB"]),
        Mistake(
            name: "unknown variable", environment: ["FOGBASE_SERVER_PRT": "1"],
            says: ["FOGBASE_SERVER_PRT", "Did you mean FOGBASE_SERVER_PORT?"]),
        Mistake(
            name: "variable that lacks its section", environment: ["FOGBASE_PORT": "1"],
            says: ["FOGBASE_PORT.", "Did you mean FOGBASE_SERVER_PORT?"]),
        Mistake(
            name: "file of something that is no secret", environment: ["FOGBASE_SERVER_PORT_FILE": "x"],
            says: ["FOGBASE_SERVER_PORT_FILE"]),
        Mistake(name: "PORT", environment: ["PORT": "http"], says: ["PORT is 'http'", "0 to 65535"]),
        Mistake(name: "port out of range", flags: ["server.port": "65536"], says: ["--port is '65536'", "0 to 65535"]),
        Mistake(name: "signed number", flags: ["server.port": "+80"], says: ["--port"]),
        Mistake(name: "host name", flags: ["server.host": "example.org"], says: ["--host", "IP address"]),
        Mistake(name: "empty flag", flags: ["server.host": ""], says: ["--host needs a value"]),
        Mistake(
            name: "certificate without key", flags: ["tls.certificate": "c.pem"],
            says: ["tls.certificate is set and tls.key is not"]),
        Mistake(
            name: "key without certificate", environment: ["FOGBASE_TLS_KEY": "k.pem"],
            says: ["tls.key is set and tls.certificate is not"]),
        Mistake(
            name: "redirect without TLS", flags: ["tls.redirect_port": "80"],
            says: ["tls.redirect_port needs tls.certificate"]),
        Mistake(name: "HSTS without TLS", file: "tls.hsts = 365d\n", says: ["tls.hsts needs tls.certificate"]),
        Mistake(
            name: "redirect to itself", file: "[tls]\ncertificate = c\nkey = k\nredirect_port = 8080\n",
            says: ["tls.redirect_port and server.port are both 8080"]),
        Mistake(
            name: "container with a slash", flags: ["data.containers": "a/b"],
            says: ["--containers", "container names"]),
        Mistake(
            name: "time without unit", environment: ["FOGBASE_TIMEOUTS_IDLE": "30"],
            says: ["30s", "FOGBASE_TIMEOUTS_IDLE"]),
        Mistake(
            name: "word that is not among the choices", environment: ["FOGBASE_LOG_ACCESS": "jsn"],
            says: ["'jsn'; it must be off, text or json. Did you mean json?"]),
        Mistake(
            name: "environment in short", flags: ["data.environment": "prod"],
            says: ["--environment is 'prod'; it must be development or production."], lacks: [".."]),
        Mistake(name: "share beyond one", flags: ["log.sample": "2"], says: ["0 to 1"]),
        Mistake(
            name: "origin with a path", flags: ["cors.origins": "https://a.org/x"],
            says: ["--cors-origins", "write https://a.org."]),
        Mistake(
            name: "one of several origins", flags: ["cors.origins": "null, *.a.org"],
            says: ["--cors-origins", "'*.a.org'", "write https://*.a.org."]),
        Mistake(
            name: "public URL without a scheme", flags: ["public.url": "a.org"],
            says: ["--public-url is 'a.org'", "write https://a.org."]),
        Mistake(
            name: "public URL with a query", flags: ["public.url": "https://a.org/fog/?x=1"],
            says: ["--public-url", "write https://a.org/fog."]),
        Mistake(
            name: "public URL that begins as a route", flags: ["public.url": "https://a.org/records/"],
            says: ["--public-url", "/records"]),
        Mistake(
            name: "configuration file that does not exist", environment: ["FOGBASE_CONFIG": "/no"],
            says: ["/no does not exist"]),
        Mistake(
            name: "secret file that does not exist", environment: ["FOGBASE_ADMIN_TOKEN_FILE": "/no"],
            says: ["FOGBASE_ADMIN_TOKEN_FILE", "/no does not exist"]),
        Mistake(
            name: "default container that is not there",
            flags: ["data.containers": "iCloud.a", "data.container": "iCloud.b"], says: ["iCloud.b", "data.containers"]),
        Mistake(
            name: "record larger than a body", flags: ["limits.record_bytes": "2MiB", "limits.body_bytes": "1MiB"],
            says: ["limits.record_bytes", "limits.body_bytes"]),
        Mistake(
            name: "batch beyond the burst of writes", environment: ["FOGBASE_LIMITS_RATE_WRITE": "50/s"],
            says: ["limits.batch_operations", "limits.rate_write", "50"]),
        Mistake(name: "rate without a period", flags: ["limits.rate_read": "50"], says: ["'50'", "10/min burst 20"]),
        Mistake(name: "rate of an unknown period", flags: ["limits.rate_read": "50/d"], says: ["10/min burst 20"]),
        Mistake(name: "burst without a number", flags: ["limits.rate_read": "50/s burst"], says: ["10/min burst 20"]),
        Mistake(name: "rate of nothing", flags: ["limits.rate_auth": "0/s"], says: ["--limits-rate-auth", "off"]),
        Mistake(
            name: "network with bits beyond its length", flags: ["http.trusted_proxies": "10.0.0.1/8"],
            says: ["--http-trusted-proxies", "10.0.0.0/8"]),
        Mistake(name: "network that is a name", flags: ["limits.rate_exempt": "localhost"], says: ["10.0.0.0/8"]),
        Mistake(name: "socket that is exempt", flags: ["limits.rate_exempt": "unix"], says: ["10.0.0.0/8"]),
        Mistake(name: "host with a path", flags: ["http.hosts": "https://a.org/"], says: ["write a.org"]),
        Mistake(
            name: "field that no proxy writes", flags: ["http.proxy_field": "x-real-ip"],
            says: ["x-forwarded-for or forwarded"]),
    ]

    @Test(arguments: mistakes)
    func `the sentence for a mistake has its location and a correct form`(mistake: Mistake) {
        let sentences = problems(file: mistake.file, flags: mistake.flags, environment: mistake.environment)
        #expect(sentences.count == 1, "\(sentences)")
        for part in mistake.says {
            #expect(sentences.first?.contains(part) == true, "\(sentences) lacks \(part)")
        }
        for part in mistake.lacks { #expect(sentences.first?.contains(part) == false, "\(sentences) has \(part)") }
    }

    @Test func `a short token is rejected without being shown`() {
        let sentences = problems(environment: ["FOGBASE_ADMIN_TOKEN": "hunter2hunter22"])
        #expect(sentences.count == 1)
        #expect(sentences.first?.contains("at least 16") == true)
        #expect(sentences.first?.contains("hunter2") == false)
        #expect(problems(environment: ["FOGBASE_ADMIN_TOKEN": "hunter2hunter222"]).isEmpty)
    }

    @Test func `a token and its file exclude each other`() {
        let sentences = problems(
            environment: ["FOGBASE_ADMIN_TOKEN": "0123456789abcdef", "FOGBASE_ADMIN_TOKEN_FILE": "/x"],
            files: ["/x": "0123456789abcdef"])
        #expect(sentences == ["FOGBASE_ADMIN_TOKEN and FOGBASE_ADMIN_TOKEN_FILE are both set. Remove one of them."])
    }

    @Test func `all mistakes are reported at once`() throws {
        let sentences = problems(
            file: "a.b = 1\nserver.port = x\n", flags: ["limits.page_size": "0"], environment: ["FOGBASE_X": "1"])
        #expect(sentences.count == 4)
    }

    @Test func `the exit code distinguishes mistakes of the command line from others`() {
        #expect(throws: Failure.self) { try load(flags: ["server.port": "x"]) }
        do throws(Failure) { _ = try load(flags: ["server.port": "x"]) } catch { #expect(error.code == .usage) }
        do throws(Failure) { _ = try load(environment: ["PORT": "x"]) } catch { #expect(error.code == .configuration) }
    }

    @Test func `variables that Kubernetes sets for a service named fogbase are ignored`() throws {
        let environment = [
            "FOGBASE_PORT": "tcp://10.0.0.1:80", "FOGBASE_SERVICE_HOST": "10.0.0.1",
            "FOGBASE_PORT_80_TCP_ADDR": "10.0.0.1",
        ]
        #expect(try load(environment: environment).settings.port == 8080)
    }

    @Test func `naming one container alone makes it the only one`() throws {
        let settings = try load(flags: ["data.container": "iCloud.own"]).settings
        #expect(settings.containers == ["iCloud.own"])
    }

    @Test func `rates are read as they are written, and off is none`() throws {
        let settings = try load(
            file:
                "[limits]\nrate_auth = 10/min burst 20\nrate_read = 7/s\nrate_write = 300/h burst 400\nrate_upload = off\n"
        ).settings
        let limits = try #require(settings.rateLimits)
        #expect(limits.auth == RateLimit(10, per: .minute, burst: 20))
        #expect(limits.read == RateLimit(7, per: .second, burst: 7))
        #expect(limits.write == RateLimit(300, per: .hour, burst: 400))
        #expect(limits.upload == nil && limits.administer == RateLimits().administer)
        #expect(try load(flags: ["limits.rates": "off"]).settings.rateLimits == nil)
        #expect(try load(flags: ["limits.rates": "off", "limits.rate_write": "1/s"]).settings.rateLimits == nil)
    }

    @Test func `no two settings share a key, a flag or a variable, and each default is a valid value`() throws {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.flag)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.environmentName)).count == Setting.all.count)
        for setting in Setting.all {
            var settings = Settings()
            let text = setting.show(settings)
            if !text.isEmpty { try setting.apply(&settings, text) }
            #expect(setting.show(settings) == text)
        }
    }

    @Test(arguments: [
        ("admin.token", "FOGBASE_ADMIN_TOKEN"), ("log.access", "FOGBASE_LOG_ACCESS"),
        ("limits.connections_per_address", "FOGBASE_LIMITS_CONNECTIONS_PER_ADDRESS"),
    ])
    func `a variable is named after its key`(key: String, name: String) {
        #expect(Setting.named(key)?.environmentName == name)
    }
}
