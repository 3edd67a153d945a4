import pytest
from frontend_tool import FrontendDump


@pytest.fixture(scope="session")
def frontend_dump():
    return FrontendDump()
