"""What the files of a login being read anew rests on, in the clients and in asyncio."""

import inspect
from asyncio import sslproto

from aiokafka.conn import AIOKafkaConnection, ScramAuthenticator
from kafka.net.connection import KafkaConnection
from kafka.net.manager import KafkaConnectionManager
from kafka.net.sasl.scram import SaslMechanismScram, ScramClient
from kafka.net.transport import KafkaSSLTransport

source = inspect.getsource


def test_aiokafka_encodes_the_password_for_each_connection_and_does_nothing_else_with_it() -> None:
    assert "authenticator = self.authenticator_scram()" in source(
        AIOKafkaConnection._do_sasl_handshake
    )
    made = source(AIOKafkaConnection.authenticator_scram)
    assert "sasl_plain_password=self._sasl_plain_password," in made
    encoded = source(ScramAuthenticator.__init__)
    assert 'self._sasl_plain_password = sasl_plain_password.encode("utf-8")' in encoded
    assert encoded.count("sasl_plain_password") == 3


def test_kafka_python_encodes_the_password_for_each_authentication() -> None:
    assert "mechanism = get_sasl_mechanism(" in source(KafkaConnection._sasl_authenticate)
    assert "self._scram_client = ScramClient(" in source(SaslMechanismScram.__init__)
    encoded = source(ScramClient.__init__)
    assert "self.password = password.encode('utf-8')" in encoded
    assert encoded.count("password.encode") == 1


def test_kafka_python_makes_each_connection_a_tls_context_from_the_file() -> None:
    assert "transport = KafkaSSLTransport(" in source(KafkaConnectionManager._build_transport)
    assert "self._build_ssl_context(self.ssl_config)" in source(KafkaSSLTransport.__init__)
    made = source(KafkaSSLTransport._build_ssl_context)
    assert "ctx.load_verify_locations(config['ssl_cafile'])" in made
    assert "ssl.TLSVersion.TLSv1_2" in made


def test_asyncio_asks_the_context_for_each_connection() -> None:
    assert "self._sslcontext.wrap_bio(" in source(sslproto.SSLProtocol)
