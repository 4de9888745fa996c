"""An identity provider in a few lines of lasso, the library of LemonLDAP::NG and Authentic. Reads one job as JSON, answers in JSON."""
import json
import sys
import lasso

job = json.load(sys.stdin)
server = lasso.Server.newFromBuffers(job["idpMetadata"], private_key_content=job["key"], certificate_content=job["certificate"])
server.signatureMethod = lasso.SIGNATURE_METHOD_RSA_SHA256
server.addProviderFromBuffer(lasso.PROVIDER_ROLE_SP, job["spMetadata"])
if job.get("encrypt"):
    provider = server.getProvider(job["spEntityId"])
    provider.setEncryptionMode(lasso.ENCRYPTION_MODE_ASSERTION)
    provider.setEncryptionSymKeyType(lasso.ENCRYPTION_SYM_KEY_TYPE_AES_256)

if job["do"] == "sign-in":
    login = lasso.Login(server)
    login.processAuthnRequestMsg(job["query"])
    login.validateRequestMsg(True, True)
    login.buildAssertion(lasso.SAML2_AUTHN_CONTEXT_PASSWORD_PROTECTED_TRANSPORT, job["now"], None, job["before"], job["after"])
    login.assertion.subject.nameId.content = "alice"
    login.buildAuthnResponseMsg()
    json.dump({"url": login.msgUrl, "body": login.msgBody, "relayState": login.msgRelayState, "session": login.session.dump(), "identity": login.identity.dump() if login.identity else ""}, sys.stdout)
else:
    logout = lasso.Logout(server)
    logout.processRequestMsg(job["query"])
    logout.setSessionFromDump(job["session"])
    if job["identity"]:
        logout.setIdentityFromDump(job["identity"])
    logout.validateRequest()
    logout.buildResponseMsg()
    json.dump({"url": logout.msgUrl, "relayState": logout.msgRelayState}, sys.stdout)
