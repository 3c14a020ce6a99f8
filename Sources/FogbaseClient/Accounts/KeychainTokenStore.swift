#if canImport(Security)
    internal import Foundation
    internal import Security

    /// A token store that keeps the token in the device's keychain.
    ///
    /// The keychain entry is not included in backups and does not sync to other devices.
    public actor KeychainTokenStore: TokenStore {
        private let service: String
        private let account: String

        /// Creates a store for one keychain entry.
        ///
        /// - Parameters:
        ///   - service: The service name of the keychain entry, such as the app's bundle identifier.
        ///   - account: A name that distinguishes the tokens of several servers.
        public init(service: String, account: String = "fogbase") {
            self.service = service
            self.account = account
        }

        private var entry: [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
        }

        public func token() -> String? {
            var question = entry
            question[kSecReturnData] = true
            question[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            guard SecItemCopyMatching(question as CFDictionary, &found) == errSecSuccess, let data = found as? Data
            else { return nil }
            return String(decoding: data, as: UTF8.self)
        }

        public func setToken(_ token: String?) {
            SecItemDelete(entry as CFDictionary)
            guard let token else { return }
            var new = entry
            new[kSecValueData] = Data(token.utf8)
            // Allow background tasks to read the token once the device has been unlocked after a restart.
            new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            SecItemAdd(new as CFDictionary, nil)
        }

        public func forgetToken(_ token: String) {
            if self.token() == token { setToken(nil) }
        }
    }
#endif
