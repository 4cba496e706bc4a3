import PigeonUI
import SwiftUI

/// Asks for a name. The user whom the server answers with brings the tabs.
struct SignInScreen: View {
    @UseMutation(SignIn.self) private var signIn: QueryState<User>
    @EnvironmentObject private var shop: Shop
    @State private var name = ""

    var body: some View {
        Form {
            Section {
                TextField("Your name", text: $name)
                    .autocorrectionDisabled()
                    .submitLabel(.done)
                    .onSubmit(start)
                if $signIn.isPaused {
                    Label("Waiting for the network", systemImage: "wifi.slash")
                } else if signIn.isLoading {
                    LoadingView()
                } else {
                    Button("Sign In", action: start).disabled(name.isEmpty)
                }
            } header: {
                Text("Cards")
            } footer: {
                if let problem = signIn.error?.userMessage ?? shop.problem {
                    Text(problem).foregroundStyle(.red)
                }
            }
        }
    }

    private func start() {
        guard !name.isEmpty, !signIn.isLoading else { return }
        shop.restoreNetwork()
        $signIn.execute(with: SignIn(name: name))
    }
}
