import RecordAPI

/// The settings of a process, with the source of each value.
struct Configuration: Sendable {
    /// The source of a setting's value, in ascending precedence.
    enum Source: Hashable, Sendable, CustomStringConvertible {
        case standard
        case file(String, line: Int)
        case environment(String)
        case flag(String)

        var description: String {
            switch self {
            case .standard: "default"
            case .file(let path, let line): "\(path):\(line)"
            case .environment(let name): "environment \(name)"
            case .flag(let flag): "flag \(flag)"
            }
        }
    }

    var settings = Settings()
    private var sources: [String: Source] = [:]
    /// One sentence for each setting whose environment variable differs from the file. For such a setting, a change of
    /// the file would have no effect.
    private(set) var overrides: [String] = []

    /// Returns the source of the value of a setting.
    func source(of key: String) -> Source {
        sources[key] ?? .standard
    }

    /// Combines the settings from the file, the environment and the flags.
    ///
    /// - Parameters:
    ///   - file: The path given with `--config`. It has precedence over `FOGBASE_CONFIG`.
    ///   - flags: The values of flags, by setting key.
    ///   - environment: All environment variables of the process.
    ///   - read: Returns the text of a file, or `nil` if the file does not exist. Throws a sentence.
    /// - Throws: `Failure` with a sentence for every problem.
    init(
        file: String? = nil, flags: [String: String] = [:], environment: [String: String] = [:],
        read: @escaping (String) throws -> String?
    ) throws(Failure) {
        var loader = Loader(read: read)
        loader.readFile(file, orNamedIn: environment)
        loader.readEnvironment(environment)
        for setting in Setting.all {
            if let text = flags[setting.key] { loader.readFlag(of: setting, text) }
        }
        loader.checkTogether()
        guard loader.problems.isEmpty else {
            throw Failure(loader.problems, code: loader.areAllFromFlags ? .usage : .configuration)
        }
        settings = loader.settings
        sources = loader.sources
        overrides = loader.overrides
    }

    /// All settings as administrators read them, in the order of `fogbase config`.
    var effectiveSettings: [EffectiveSetting] {
        Setting.all.map { setting in
            let source = source(of: setting.key)
            return EffectiveSetting(
                key: setting.key, value: setting.show(settings), source: "\(source)", isDefault: source == .standard,
                help: setting.help)
        }
    }

    /// The lines of `fogbase config`, which are a valid configuration file.
    var listing: [String] {
        Terminal.table(
            Setting.all.map { setting in
                ["\(setting.key) = \(setting.show(settings))", "# \(source(of: setting.key))"]
            })
    }
}

/// Collects the values and the problems of all sources.
private struct Loader {
    let read: (String) throws -> String?
    var settings = Settings()
    var sources: [String: Configuration.Source] = [:]
    var problems: [String] = []
    var areAllFromFlags = true
    var overrides: [String] = []
    /// The values of settings in the file, by key.
    private var texts: [String: String] = [:]

    init(read: @escaping (String) throws -> String?) {
        self.read = read
    }

    private static let fileVariable = "FOGBASE_CONFIG"

    mutating func fail(_ sentence: String, isFromFlag: Bool = false) {
        problems.append(sentence)
        if !isFromFlag { areAllFromFlags = false }
    }

    /// Sets a value. An empty text leaves the setting unchanged, so an empty environment variable has no effect.
    mutating func set(_ setting: Setting, _ text: String, _ source: Configuration.Source) {
        guard !text.isEmpty else { return }
        do {
            try setting.apply(&settings, text)
            note(source, text, of: setting)
            sources[setting.key] = source
        } catch {
            let found = setting.isSecret ? "" : " is '\(text)'; it"
            var isFlag = false
            let place: String
            switch source {
            case .standard: place = setting.key
            case .file(let path, let line): place = "\(path):\(line): \(setting.key)"
            case .environment(let name): place = name
            case .flag(let flag):
                place = flag
                isFlag = true
            }
            let end = error.expected.hasSuffix("?") ? "" : "."
            fail("\(place)\(found) \(error.expected)\(end)", isFromFlag: isFlag)
        }
    }

    /// Records an environment variable that overrides the file. The sentence shows no values, because some values are
    /// secrets.
    private mutating func note(_ source: Configuration.Source, _ text: String, of setting: Setting) {
        switch source {
        case .standard, .flag: break
        case .file: texts[setting.key] = text
        case .environment(let name):
            guard let below = texts[setting.key], below != text, case .file(let path, let line)? = sources[setting.key]
            else { return }
            overrides.append("\(name) overrides \(setting.key) of \(path), line \(line)")
        }
    }

    // MARK: File

    mutating func readFile(_ path: String?, orNamedIn environment: [String: String]) {
        let named = environment[Self.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
        guard let path = path ?? named else { return }
        guard let text = contents(of: path, for: "The configuration file") else { return }
        let (entries, broken) = ConfigurationFile.parse(text)
        for problem in broken { fail("\(path):\(problem.line): \(problem.sentence)") }
        for entry in entries {
            guard let setting = Setting.named(entry.key) else {
                let guess = Suggestion.sentence(for: entry.key, among: Setting.all.map(\.key))
                fail("\(path):\(entry.line): There is no setting '\(entry.key)'.\(guess)")
                continue
            }
            set(setting, entry.value, .file(path, line: entry.line))
        }
    }

    private mutating func contents(of path: String, for purpose: String) -> String? {
        do {
            if let text = try read(path) { return text }
            fail("\(purpose) \(path) does not exist.")
        } catch {
            fail("\(purpose): \(error)")
        }
        return nil
    }

    // MARK: Environment

    mutating func readEnvironment(_ environment: [String: String]) {
        var known = [Self.fileVariable]
        for setting in Setting.all {
            known.append(setting.environmentName)
            if setting.isSecret { known.append(setting.environmentName + "_FILE") }
        }
        let present = environment.keys.filter { $0.hasPrefix("FOGBASE_") }.sorted()
        for name in present where !known.contains(name) && !Self.isServiceLink(name, environment[name] ?? "") {
            fail("There is no setting for the variable \(name).\(Suggestion.sentence(for: name, among: known))")
        }
        // Hosting platforms set PORT. FOGBASE_SERVER_PORT has precedence.
        if let port = environment["PORT"], let setting = Setting.named("server.port") {
            set(setting, port, .environment("PORT"))
        }
        for setting in Setting.all {
            let name = setting.environmentName
            let value = environment[name] ?? ""
            if setting.isSecret, let path = environment[name + "_FILE"], !path.isEmpty {
                guard value.isEmpty else {
                    fail("\(name) and \(name)_FILE are both set. Remove one of them.")
                    continue
                }
                guard let text = contents(of: path, for: "The file that \(name)_FILE names,") else { continue }
                let secret = String(text.trimmed)
                guard !secret.isEmpty else {
                    fail("The file \(path) that \(name)_FILE names is empty.")
                    continue
                }
                set(setting, secret, .environment(name + "_FILE"))
            } else {
                set(setting, value, .environment(name))
            }
        }
    }

    /// Whether Kubernetes has set a variable. Kubernetes sets such variables in every pod of a namespace that has a
    /// service named fogbase.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        let isAddress = value.hasPrefix("tcp://") || value.hasPrefix("udp://")
        return name.hasPrefix("FOGBASE_SERVICE_") || name.hasPrefix("FOGBASE_PORT_")
            || (name == "FOGBASE_PORT" && isAddress)
    }

    // MARK: Flags

    mutating func readFlag(of setting: Setting, _ text: String) {
        if text.isEmpty {
            fail("\(setting.flag) needs a value.", isFromFlag: true)
        } else if setting.isSecret {
            guard let secret = contents(of: text, for: "The file that \(setting.flag) names,") else { return }
            set(setting, String(secret.trimmed), .flag(setting.flag))
        } else {
            set(setting, text, .flag(setting.flag))
        }
    }

    // MARK: Combinations

    private mutating func checkTLS() {
        switch (settings.tlsCertificate.isEmpty, settings.tlsKey.isEmpty) {
        case (false, true): fail("tls.certificate is set and tls.key is not. Set both, or none for plain HTTP.")
        case (true, false): fail("tls.key is set and tls.certificate is not. Set both, or none for plain HTTP.")
        case (false, false):
            if settings.tlsRedirectPort != 0, settings.tlsRedirectPort == settings.port {
                fail("tls.redirect_port and server.port are both \(settings.port). Choose another one of them.")
            }
        case (true, true):
            if settings.tlsRedirectPort != 0 { fail("tls.redirect_port needs tls.certificate and tls.key.") }
            if settings.tlsHSTS != .zero { fail("tls.hsts needs tls.certificate and tls.key.") }
        }
    }

    mutating func checkTogether() {
        if !settings.container.isEmpty, !settings.containers.contains(settings.container) {
            // If only one container is named, it is also the only item of the list of containers.
            if sources["data.containers"] == nil {
                settings.containers = [settings.container]
            } else {
                fail("data.container is '\(settings.container)', which is not among data.containers.")
            }
        }
        checkTLS()
        if settings.recordBytes > settings.bodyBytes {
            fail("limits.record_bytes must not be above limits.body_bytes: such a record could not be sent.")
        }
        if settings.rates == .on, let rate = settings.rateWrite, rate.burst < settings.batchOperations {
            fail(
                "limits.batch_operations must not be above the burst of limits.rate_write, \(rate.burst): such a batch would always be rejected."
            )
        }
        if settings.bodyBytes > settings.bodiesInFlightBytes {
            fail(
                "limits.body_bytes must not be above limits.bodies_in_flight_bytes: such a body would always be rejected."
            )
        }
    }
}
