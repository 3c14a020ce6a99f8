#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Keeps the token in the keychain of the device; it is in no backup and goes to no other device.
    public actor KeychainTokenStore: TokenStore {
        private let service: String
        private let account: String

        /// - Parameters:
        ///   - service: What the entry is called, such as the app's bundle identifier.
        ///   - account: Tells the tokens of several servers apart.
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
            // Also readable by work in the background, once the device was unlocked.
            new[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            SecItemAdd(new as CFDictionary, nil)
        }

        public func forgetToken(_ token: String) {
            if self.token() == token { setToken(nil) }
        }
    }
#endif
